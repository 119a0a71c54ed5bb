import NIOCore
import NIOHPACK
import NIOHTTP2
import SessionHTTP

/// The rules of one request of HTTP/2 that NIO's codec to HTTP/1.1 does not have.
///
/// It checks which host the request names, and it ends the stream as RFC 9113 §8.1 requires: a response to a request that
/// is not complete is sent completely before RST_STREAM with NO_ERROR. A request that was not processed is refused with
/// REFUSED_STREAM, so that its client may send it again (§8.7).
final class HTTP2RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum Response {
        case none, begun, ended, reset
    }

    private let connection: SecureConnectionHandler
    /// Whether the process ends, so that this request came too late.
    private var isRefused = false
    private var hasHead = false
    private var isComplete = false
    private var isRejected = false
    private var isBusy = false
    private var response = Response.none

    /// Must run on the event loop of the connection.
    init(_ connection: SecureConnectionHandler) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) {
        isRefused = !connection.requestOpened()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        setBusy(false)
        connection.requestClosed()
    }

    // MARK: Request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var payload = Self.unwrapInboundIn(data)
        if payload.endsStream { isComplete = true }
        if isRefused { return reset(.refusedStream, context) }
        guard !isRejected else { return }
        if !hasHead, case .headers(var head) = payload {
            hasHead = true
            if let rejection = Self.normalize(&head.headers, isReserved: connection.isReserved) {
                isRejected = true
                return context.fireUserInboundEventTriggered(rejection)
            }
            payload = .headers(head)
        }
        updateBusy(context)
        context.fireChannelRead(Self.wrapInboundOut(payload))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        updateBusy(context)
        context.fireChannelWritabilityChanged()
    }

    /// Makes the codec's headers of a request. Returns why the request is rejected instead.
    private static func normalize(_ headers: inout HPACKHeaders, isReserved: Bool) -> RejectedRequest? {
        let method = headers[":method"].first
        let path = headers[":path"].first ?? ""
        do throws(InvalidRequest) {
            guard path.hasPrefix("/") || (path == "*" && method == "OPTIONS") else {
                throw InvalidRequest(":path must be a path")
            }
            guard method?.isEmpty == false else { throw InvalidRequest(":method is missing") }
            // RFC 9113 §8.2.1. In HTTP/1.1 such a space is no part of the value.
            guard !headers.contains(where: { $0.value.hasOuterSpace }) else {
                throw InvalidRequest("a header must not begin or end with a space or a tab")
            }
            let host = try RequestAuthority.host(
                authorities: headers[":authority"], hosts: headers["host"],
                scheme: headers[":scheme"].first ?? "https")
            headers.remove(name: "host")
            if headers[":authority"].isEmpty { headers.replaceAuthority(with: host) }
        } catch {
            return RejectedRequest(.malformed(error), isHead: method == "HEAD")
        }
        let isHealthCheck = HealthEndpoint.isPath(path)
        return isReserved && !isHealthCheck ? RejectedRequest(.tooManyConnections, isHead: method == "HEAD") : nil
    }

    private func updateBusy(_ context: ChannelHandlerContext) {
        setBusy(isComplete && response != .ended && context.channel.isWritable)
    }

    private func setBusy(_ isBusy: Bool) {
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        if isBusy { connection.requestBecomesBusy() } else { connection.requestWaits() }
    }

    // MARK: Response

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let payload = Self.unwrapOutboundIn(data)
        guard payload.endsStream else {
            if response == .none, !payload.isInformational { response = .begun }
            return context.write(data, promise: promise)
        }
        response = .ended
        // The client may never open its window, so its connection does not wait until all is sent.
        updateBusy(context)
        let written = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        written.futureResult.whenSuccess {
            let (handler, context) = bound.value
            // The client need not send the rest.
            if !handler.isComplete { handler.reset(.noError, context) }
        }
        context.write(data, promise: written)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        // A stream has no half that can be closed without a frame. The response has ended, or ends with RST_STREAM.
        case .output where response == .ended, .input: promise?.succeed()
        case .output, .all:
            guard hasHead, !isComplete, response == .none else { return context.close(mode: mode, promise: promise) }
            reset(.refusedStream, context)
            context.channel.closeFuture.cascade(to: promise)
        }
    }

    private func reset(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
        guard response != .reset, context.channel.isActive else { return }
        response = .reset
        context.writeAndFlush(Self.wrapOutboundOut(.rstStream(code)), promise: nil)
    }
}

extension HTTP2Frame.FramePayload {
    /// Whether it is 100, which a response follows.
    fileprivate var isInformational: Bool {
        guard case .headers(let headers) = self else { return false }
        return headers.headers.first(name: ":status")?.hasPrefix("1") ?? false
    }

    fileprivate var endsStream: Bool {
        switch self {
        case .headers(let headers): headers.endStream
        case .data(let data): data.endStream
        default: false
        }
    }
}

extension HPACKHeaders {
    /// Adds `:authority`, which must precede all other fields.
    fileprivate mutating func replaceAuthority(with host: String) {
        var headers = HPACKHeaders([(":authority", host)])
        headers.add(contentsOf: self)
        self = headers
    }
}

extension String {
    fileprivate var hasOuterSpace: Bool {
        let ends = [utf8.first, utf8.last]
        return ends.contains(UInt8(ascii: " ")) || ends.contains(UInt8(ascii: "\t"))
    }
}
