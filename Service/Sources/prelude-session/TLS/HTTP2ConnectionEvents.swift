import NIOCore
import NIOHTTP2
import SessionHTTP

/// Reports to `SecureConnectionHandler` that NIO has sent GOAWAY with an error. NIO itself keeps the connection open.
struct HTTP2ErrorReporter: NIOHTTP2FrameDelegate {
    /// Must run on the event loop of the connection.
    let connection: SecureConnectionHandler

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { connection.sentError() }
    }
}

/// Receives the frames of the connection itself, at the end of its pipeline.
final class HTTP2ConnectionFrames: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let connection: SecureConnectionHandler

    init(_ connection: SecureConnectionHandler) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The preface of a client ends with its settings (RFC 9113 §3.4).
        if case .settings(.settings) = Self.unwrapInboundIn(data).payload { connection.receivedPreface() }
    }

    /// An error of one stream ends it. After an error of the connection, `HTTP2ErrorReporter` closes it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
