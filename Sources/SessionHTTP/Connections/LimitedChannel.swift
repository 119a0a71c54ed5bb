package import HummingbirdCore
package import Logging
import NIOCore
import NIOHTTP1
package import SessionDomain

/// The limits that all listeners of a process share.
package struct ListenerLimits: Sendable {
    private let environment: ConnectionHandler.Environment

    package init(_ limits: ConnectionLimits, environment: ServiceEnvironment, logger: Logger) {
        let log = LimitLog(logger: logger)
        self.environment = ConnectionHandler.Environment(
            limits: limits, connections: OpenConnections(limits: limits, log: log), log: log, service: environment)
    }

    /// A server for HTTP/1.1 within these limits.
    package var server: HTTPServerBuilder {
        HTTPServerBuilder { responder in
            LimitedChannel(http: HTTP1Channel(responder: responder), environment: environment)
        }
    }
}

/// A connection of HTTP/1.1 with `ConnectionHandler`.
struct LimitedChannel: ServerChildChannel {
    let http: HTTP1Channel
    let environment: ConnectionHandler.Environment

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try Self.addHandlers(to: channel, environment)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }

    /// Adds the handlers around the decoder of HTTP/1.1. Must run on the event loop of the channel.
    static func addHandlers(to channel: any Channel, _ environment: ConnectionHandler.Environment) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(BytesHandler(), position: .before(decoder))
        try pipeline.addHandler(ConnectionHandler(environment), position: .after(decoder))
    }
}
