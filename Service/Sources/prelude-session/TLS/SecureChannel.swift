import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS
import SessionHTTP

/// A connection with TLS, which speaks HTTP/2 or HTTP/1.1, whichever the client prefers (RFC 7301).
struct SecureChannel: ServerChildChannel {
    typealias Requests = NIOHTTP2Handler.AsyncStreamMultiplexer<RoutedConnection>
    typealias Negotiated = NIONegotiatedHTTPVersion<RoutedConnection, Requests>

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    let limits: ListenerLimits
    let certificates: TLSCertificates
    private let plain: LimitedChannel
    private let request: LimitedRequestChannel

    init(_ limits: ListenerLimits, certificates: TLSCertificates) {
        self.limits = limits
        self.certificates = certificates
        plain = limits.channel
        request = limits.requestChannel
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try LimitedChannel.readSmallBuffers(from: channel)
            let pipeline = channel.pipeline.syncOperations
            let handler = limits.secureConnectionHandler()
            let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
            try pipeline.addHandler(handler)
            try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context))
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Negotiated> { result in
                switch result {
                case .negotiated("h2"):
                    channel.eventLoop.makeCompletedFuture { .http2(try addHTTP2(to: channel, bound, logger)) }
                case .negotiated("http/1.1"), .fallback:
                    channel.eventLoop.makeCompletedFuture { bound.value.handOver() }
                        .flatMap { plain.setup(channel: channel, logger: logger) }.map { .http1_1($0) }
                case .negotiated:
                    channel.close().flatMapThrowing { throw NIOHTTP2Errors.invalidALPNToken() }
                }
            }
            try pipeline.addHandler(negotiation)
            return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await plain.handle(value: connection, logger: logger)
            case .http2(let requests): await handle(requests, logger: logger)
            }
        } catch {
            logger.trace("TLS handshake failed", metadata: ["error": "\(error)"])
        }
    }

    /// Works on all requests to their end. The end of the connection cancels none of them.
    private func handle(_ requests: Requests, logger: Logger) async {
        await withDiscardingTaskGroup { group in
            do {
                for try await stream in requests.inbound {
                    group.addTask { await stream.end() }
                }
            } catch {
                logger.trace("connection failed", metadata: ["error": "\(error)"])
            }
        }
    }

    private func addHTTP2(
        to channel: any Channel, _ connection: NIOLoopBound<SecureConnectionHandler>, _ logger: Logger
    ) throws -> Requests {
        let pipeline = channel.pipeline.syncOperations
        let manager = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop, configuration: limits.http2Management)
        let requests = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server, streamDelegate: manager.http2StreamDelegate,
            frameDelegate: HTTP2ErrorReporter(connection: connection.value), configuration: .limited
        ) { stream in stream.eventLoop.makeCompletedFuture { try makeRequest(on: stream, of: connection.value) } }
        try pipeline.addHandlers(manager, HTTP2ConnectionFrames(connection.value))
        return requests
    }

    private func makeRequest(
        on stream: any Channel, of connection: SecureConnectionHandler
    ) throws -> RoutedConnection {
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(HTTP2RequestHandler(connection))
        try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
        return try request.addHandlers(to: stream)
    }
}

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

extension NIOHTTP2Handler.Configuration {
    /// The limits of one connection. A client that exceeds one loses it, with GOAWAY.
    static var limited: Self {
        var configuration = Self()
        // 100 requests at once is what clients expect before they have the settings (RFC 9113 §6.5.2).
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 * 1024),
            HTTP2Setting(parameter: .initialWindowSize, value: 65_535),
        ]
        // Header blocks in many frames, which cost before they count as a request.
        configuration.connection.maximumSequentialContinuationFrames = 5
        configuration.connection.maximumSequentialEmptyDataFrames = 1
        // What waits for a client that does not read the answers to its own control frames.
        configuration.connection.maximumBufferedControlFrames = 1000
        // SETTINGS, PING and the like.
        configuration.connection.controlFrameRateLimit.maximumCount = 200
        configuration.connection.controlFrameRateLimit.windowLength = .seconds(30)
        // Requests that are cancelled as soon as they are sent ("rapid reset").
        configuration.stream.streamResetFrameRateLimit.maximumCount = 200
        configuration.stream.streamResetFrameRateLimit.windowLength = .seconds(30)
        configuration.stream.streamErrorRateLimit.maximumCount = 200
        configuration.stream.streamErrorRateLimit.windowLength = .seconds(30)
        return configuration
    }
}

extension ListenerLimits {
    /// How a connection of HTTP/2 ends: when it has no request, or when the process ends. `SecureConnectionHandler` has the
    /// times after GOAWAY, also for a client that does not react.
    var http2Management: NIOHTTP2ServerConnectionManagementHandler.Configuration {
        var configuration = NIOHTTP2ServerConnectionManagementHandler.Configuration.defaults
        configuration.maxIdleTime = .seconds(Int64(limits.idleTimeout))
        configuration.maxGraceTime = nil
        configuration.keepalive = nil
        return configuration
    }
}
