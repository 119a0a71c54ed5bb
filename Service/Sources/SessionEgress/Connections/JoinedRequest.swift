internal import NIOCore
internal import NIOHTTP1

/// Sends the head of a request in one piece with the begin of its body.
///
/// AsyncHTTPClient flushes the head before it asks for the body. For a short body, this doubles the calls of the system and the
/// packets. With TLS, the head and the body are records of their own in one packet.
final class JoinedRequest: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// Whether the last part was a head whose body follows.
    private var holdsHead = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            holdsHead = head.headers.first(name: "content-length").flatMap(Int.init) ?? 0 > 0
        } else {
            holdsHead = false
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if !holdsHead { context.flush() }
    }
}
