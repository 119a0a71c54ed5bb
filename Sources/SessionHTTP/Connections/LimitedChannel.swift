package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import SessionDomain

/// The limits of a listener, and its open connections.
@available(service, *)
package struct ListenerLimits: Sendable {
    private let environment: ConnectionHandler.Environment
    /// The requests of HTTP/2 have places of their own, as many as there are connections.
    private let environmentOfRequests: ConnectionHandler.Environment
    private let accepted: AcceptedConnections
    private let executors = EventLoopExecutors()

    package var limits: ConnectionLimits { environment.limits }

    /// - Parameters:
    ///   - work: The requests in work of all listeners that share the bound.
    ///   - health: Answers health checks. `nil`: the routes do.
    ///   - edge: The proxies that report the addresses of clients, for the log.
    package init(
        _ limits: ConnectionLimits, environment: ServiceEnvironment, logger: Logger,
        work: RequestsInWork = RequestsInWork(limit: ConnectionLimits.requests), health: HealthEndpoint? = nil,
        edge: EdgeOptions = EdgeOptions()
    ) {
        let accessLog = ConnectionAccessLog(logger: logger, observer: environment.observer, edge: edge)
        let log = LimitLog(logger: logger, observer: environment.observer)
        accepted = AcceptedConnections(limit: limits.connections + limits.healthReserve)
        self.environment = ConnectionHandler.Environment(
            limits: limits, connections: OpenConnections(limits: limits, log: log), log: log, service: environment,
            work: work, health: health, accessLog: accessLog)
        environmentOfRequests = ConnectionHandler.Environment(
            limits: limits, connections: OpenConnections(limits: limits, log: log), log: log, service: environment,
            work: work, health: health, accessLog: accessLog)
    }

    /// A server for HTTP/1.1 within these limits.
    package var server: HTTPServerBuilder {
        HTTPServerBuilder { responder in
            counted(channel(responder))
        }
    }

    /// A connection that is counted while it waits for a task, and then runs on its event loop. Each connection of a listener must be one.
    package func counted<Connection: ServerChildChannel>(
        _ connection: Connection
    ) -> AcceptedChannel<EventLoopChannel<Connection>> {
        AcceptedChannel(
            connection: EventLoopChannel(connection: connection, executors: executors), accepted: accepted)
    }

    /// Accepts connections on the event loop from now on.
    ///
    /// - Parameter listener: The channel that accepts connections.
    /// - Throws: `ChannelError` when the channel is closed.
    package func accept(on listener: any Channel) async throws {
        try await listener.eventLoop.submit { [accepted, log = environment.log] in
            try listener.pipeline.syncOperations.addHandler(AcceptHandler(accepted, log: log), position: .first)
        }.get()
    }

    /// What the listener has to do now.
    package func load(of listener: ListenerLoad.Listener) -> ListenerLoad {
        ListenerLoad(listener, connections: environment.connections.count, requests: environment.work.counts)
    }

    /// A connection of HTTP/1.1.
    package func channel(_ responder: @escaping HTTPChannelHandler.Responder) -> LimitedChannel {
        LimitedChannel(responder: responder, environment: environment)
    }

    /// A request of HTTP/2.
    package func requestChannel(_ responder: @escaping HTTPChannelHandler.Responder) -> LimitedRequestChannel {
        LimitedRequestChannel(LimitedChannel(responder: responder, environment: environmentOfRequests))
    }

    /// The handler of a connection with TLS, before all others.
    package func secureConnectionHandler() -> SecureConnectionHandler { SecureConnectionHandler(environment) }
}

/// A request of HTTP/2, which is a channel of its own. Its limits are those of a connection with one request.
@available(service, *)
package struct LimitedRequestChannel: Sendable {
    private let channel: LimitedChannel

    init(_ channel: LimitedChannel) { self.channel = channel }

    /// Adds the limits behind a codec to the parts of HTTP/1.1. Must run on the event loop of the channel.
    package func addLimits(to stream: any Channel) throws {
        try stream.pipeline.syncOperations.addHandler(ConnectionHandler(channel.environment, gate: nil))
    }

    package func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await channel.handle(value: value, logger: logger)
    }
}

/// A connection of HTTP/1.1 with `ConnectionHandler`.
@available(service, *)
package struct LimitedChannel: ServerChildChannel {
    let http: HTTP1Channel
    let environment: ConnectionHandler.Environment

    init(responder: @escaping HTTPChannelHandler.Responder, environment: ConnectionHandler.Environment) {
        self.environment = environment
        http = HTTP1Channel(responder: responder)
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try Self.readSmallBuffers(from: channel)
            try Self.addHandlers(to: channel, environment)
            return value
        }
    }

    /// Bounds what one read delivers: 16 KiB, which `RequestGate` keeps, or of which HTTP/2 decodes all frames at once.
    package static func readSmallBuffers(from channel: any Channel) throws {
        // Network.framework has no such options. There a buffer has 8 KiB.
        #if !canImport(Network)
            let options = channel.syncOptions
            try options?.setOption(.maxMessagesPerRead, value: 1)
            try options?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16 * 1024))
        #endif
    }

    package func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
        environment.work.finishAll(on: ObjectIdentifier(value.channel))
    }

    /// Adds the handlers around the decoder of HTTP/1.1. Must run on the event loop of the channel.
    static func addHandlers(to channel: any Channel, _ environment: ConnectionHandler.Environment) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let gate = RequestGate()
        try pipeline.addHandler(gate, position: .before(decoder))
        try pipeline.addHandler(ConnectionHandler(environment, gate: gate), position: .after(decoder))
    }
}
