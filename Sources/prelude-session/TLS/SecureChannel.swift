import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP1
import NIOSSL
import NIOTLS
import SessionHTTP

/// A connection with TLS, which speaks HTTP/2 or HTTP/1.1, whichever the client prefers (RFC 7301).
@available(service, *)
struct SecureChannel: ServerChildChannel {
    typealias Requests = NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP1Channel.Value>
    typealias Negotiated = NIONegotiatedHTTPVersion<HTTP1Channel.Value, Requests>

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    let limits: ListenerLimits
    let certificates: TLSCertificates
    private let plain: LimitedChannel
    private let request: LimitedRequestChannel

    init(_ limits: ListenerLimits, certificates: TLSCertificates, responder: @escaping HTTPChannelHandler.Responder) {
        self.limits = limits
        self.certificates = certificates
        plain = limits.channel(responder)
        request = limits.requestChannel(responder)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
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
            case .http2(let requests):
                try await withThrowingDiscardingTaskGroup { group in
                    for try await stream in requests.inbound {
                        group.addTask { await request.handle(value: stream, logger: logger) }
                    }
                }
            }
        } catch {
            // A failed handshake, or a connection that broke a limit.
            logger.trace("connection failed", metadata: ["error": "\(error)"])
        }
    }

    private func addHTTP2(
        to channel: any Channel, _ connection: NIOLoopBound<SecureConnectionHandler>, _ logger: Logger
    ) throws -> Requests {
        connection.value.completedHandshake()
        return try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
            mode: .server, connectionManagerConfiguration: limits.http2Management,
            http2HandlerConfiguration: .limited
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                connection.value.requestOpened()
                stream.closeFuture.whenComplete { _ in connection.value.requestClosed() }
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try request.addLimits(to: stream)
                try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: true))
                return try NIOAsyncChannel(
                    wrappingChannelSynchronously: stream, configuration: .init(isOutboundHalfClosureEnabled: true))
            }
        }
    }
}
