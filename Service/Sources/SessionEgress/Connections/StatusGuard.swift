internal import NIOCore
internal import NIOHTTP1

/// Ends a connection when the server answers with a status that cannot answer a request: below 100, or 101.
///
/// AsyncHTTPClient ends the process on a final response below 100. A response with 101 (Switching Protocols) is valid only
/// after a request for it (RFC 9110 §15.2.2), and the egress sends none. Other interim responses pass; the client skips
/// them.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The server answered with a status that cannot answer a request.
    struct InvalidStatus: Error {
        let code: UInt
    }

    private var hasFailed = false

    /// Adds a guard and a `JoinedRequest` to a connection of AsyncHTTPClient, between its decoder and its state machine.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandlers([StatusGuard(), JoinedRequest()], position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        guard case .head(let head) = unwrapInboundIn(data), Self.isInvalid(head.status.code) else {
            context.fireChannelRead(data)
            return
        }
        hasFailed = true
        context.fireErrorCaught(InvalidStatus(code: head.status.code))
        context.close(promise: nil)
    }

    private static func isInvalid(_ code: UInt) -> Bool { code < 100 || code == 101 }
}
