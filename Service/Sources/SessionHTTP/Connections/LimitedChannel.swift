package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import SessionDomain
import Synchronization

/// The limits of a listener, and its open connections.
package struct ListenerLimits: Sendable {
    private let environment: ConnectionHandler.Environment
    /// The requests of HTTP/2 have slots of their own, as many as there are connections.
    private let environmentOfRequests: ConnectionHandler.Environment
    private let accepted: AcceptedConnections
    private let routes: ConnectionRoutes

    package var limits: ConnectionLimits { environment.limits }

    /// - Parameters:
    ///   - work: The requests in work of all listeners that share the bound.
    ///   - health: Answers health checks. `nil`: the routes do.
    ///   - edge: The proxies that report the addresses of clients, for the log.
    ///   - responder: The routes.
    ///   - requestLogger: The logger of the routes.
    package init(
        _ limits: ConnectionLimits, environment: ServiceEnvironment, logger: Logger,
        work: RequestsInWork = RequestsInWork(limit: ConnectionLimits.requests), health: HealthEndpoint? = nil,
        edge: EdgeOptions = EdgeOptions(), responder: any HTTPResponder<ServiceRequestContext>, requestLogger: Logger
    ) {
        routes = ConnectionRoutes(responder: responder, work: work, logger: requestLogger)
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

    /// A connection that is counted while it waits for a task. Each connection of a listener must be one.
    package func counted<Connection: ServerChildChannel>(_ connection: Connection) -> AcceptedChannel<Connection> {
        AcceptedChannel(connection: connection, accepted: accepted)
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
    package var channel: LimitedChannel { LimitedChannel(environment: environment, routes: routes) }

    /// A request of HTTP/2.
    package var requestChannel: LimitedRequestChannel {
        LimitedRequestChannel(environment: environmentOfRequests, routes: routes)
    }

    /// The handler of a connection with TLS, before all others.
    package func secureConnectionHandler() -> SecureConnectionHandler { SecureConnectionHandler(environment) }
}

extension ConnectionHandler {
    /// What the handlers of all connections share.
    struct Environment: Sendable {
        let limits: ConnectionLimits
        let connections: OpenConnections
        let log: LimitLog
        let service: ServiceEnvironment
        /// Bounds the requests of all connections that the service works on.
        var work = RequestsInWork(limit: .max)
        /// Answers health checks. `nil`: the routes do.
        var health: HealthEndpoint?
        var accessLog: ConnectionAccessLog?
    }
}

/// A request of HTTP/2, which is a channel of its own. Its limits are those of a connection with one request.
package struct LimitedRequestChannel: Sendable {
    let environment: ConnectionHandler.Environment
    let routes: ConnectionRoutes

    /// Adds the limits and the routes behind a codec to the parts of HTTP/1.1. Must run on the event loop of the channel.
    package func addHandlers(to stream: any Channel) throws -> RoutedConnection {
        let handler = RouteHandler(routes)
        try stream.pipeline.syncOperations.addHandlers(ConnectionHandler(environment, gate: nil), handler)
        return RoutedConnection(stream, handler)
    }
}

/// A connection of HTTP/1.1 with `ConnectionHandler`.
package struct LimitedChannel: ServerChildChannel {
    let environment: ConnectionHandler.Environment
    let routes: ConnectionRoutes

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<RoutedConnection> {
        channel.eventLoop.makeCompletedFuture {
            try Self.readSmallBuffers(from: channel)
            let pipeline = channel.pipeline.syncOperations
            // `ConnectionHandler` asks for one request after the other, and answers errors. Names and values that the service
            // writes are valid.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: HTTPResponseEncoder.Configuration(),
                withDecoderLimitConfiguration: .limited)
            try Self.addHandlers(to: channel, environment)
            let handler = RouteHandler(routes)
            try pipeline.addHandler(handler)
            return RoutedConnection(channel, handler)
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

    package func handle(value: RoutedConnection, logger: Logger) async { await value.end() }

    /// Adds the handlers around the decoder of HTTP/1.1. Must run on the event loop of the channel.
    static func addHandlers(to channel: any Channel, _ environment: ConnectionHandler.Environment) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let gate = RequestGate()
        try pipeline.addHandler(gate, position: .before(decoder))
        try pipeline.addHandler(ConnectionHandler(environment, gate: gate), position: .after(decoder))
    }
}

/// A connection whose requests the routes get, or a request of HTTP/2.
package struct RoutedConnection: ServerChildChannelValue {
    package let channel: any Channel
    private let handler: NIOLoopBound<RouteHandler>

    init(_ channel: any Channel, _ handler: RouteHandler) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    /// Returns when the connection has ended, and the work for its last request. When cancelled, the connection ends with its
    /// request.
    package func end() async {
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(mode: .input, promise: nil)
        }
        let task = try? await channel.eventLoop.submit { [handler] in handler.value.task }.get()
        await task?.value
    }
}

extension NIOHTTPDecoderLimitConfiguration {
    /// `HeaderLimit` has the limit for all headers together. These bound what is kept until they are complete.
    fileprivate static var limited: Self {
        var limits = Self()
        limits.maxHeaderFieldSize = 80 * 1024
        limits.maxHeaderListSize = 80 * 1024
        limits.maxHeaderFieldCount = 1000
        return limits
    }
}

/// Accepts connections on the event loop of the listener, whether or not a task is free to serve them.
///
/// Hummingbird takes accepted connections in a task. If ten wait for it, NIO accepts no more, so behind the tasks of some
/// hundred requests a new connection waited for a second. This handler is next to the socket and asks for more
/// connections while there is room for those that wait. Each has its handlers before any task sees it.
///
/// A busy event loop looks at a socket only when it has looked at all others. With four connections for each look, as NIO
/// has it, clients that keep an event loop busy kept others from connecting. So a look accepts one connection for each
/// millisecond since the last one. To accept all at once would not help them: they would wait for a task, or get 503.
///
/// The system may not be able to open a connection, usually because the process has no free file descriptor. NIO then goes
/// on reading without a pause, which takes all the time of an event loop. So this handler pauses the listener.
final class AcceptHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    /// Connections wait in the queue of the system meanwhile.
    static let pause = TimeAmount.milliseconds(100)
    /// How many connections one look at the socket accepts.
    static let perLook: ClosedRange<Int64> = 4...256

    private let accepted: AcceptedConnections
    private let log: LimitLog
    private var isPausing = false
    private var lastLook: NIODeadline?

    init(_ accepted: AcceptedConnections, log: LimitLog) {
        self.accepted = accepted
        self.log = log
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        followPace(of: context.channel)
        context.fireChannelReadComplete()
        if !isPausing, accepted.hasRoom { context.read() }
    }

    func read(context: ChannelHandlerContext) {
        if !isPausing { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError, !isPausing {
            log.note(.notAccepted, on: context.eventLoop)
            pause(context)
        }
        context.fireErrorCaught(error)
    }

    /// The next look will take about as long as this one did.
    private func followPace(of channel: any Channel) {
        // Network.framework has no such option.
        #if !canImport(Network)
            let now = channel.eventLoop.now
            let waited = (now - (lastLook ?? now)).nanoseconds / 1_000_000
            lastLook = now
            let count = min(max(waited, Self.perLook.lowerBound), Self.perLook.upperBound)
            try? channel.syncOptions?.setOption(.maxMessagesPerRead, value: UInt(count))
        #endif
    }

    /// Without automatic reads, NIO does not wait for the socket. Their return is a read.
    private func pause(_ context: ChannelHandlerContext) {
        isPausing = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = bound.value
            handler.isPausing = false
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

/// Connections that are accepted, and that no task serves yet.
///
/// Under load they wait long for a task, and some are closed meanwhile. So their number has a bound of its own.
final class AcceptedConnections: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    /// - Parameter limit: The most connections that wait for a task.
    init(limit: Int) { self.limit = limit }

    /// Whether further connections may be accepted before a task is free.
    var hasRoom: Bool { count.load(ordering: .relaxed) < limit }

    func accepted() { count.add(1, ordering: .relaxed) }

    /// A task serves the connection, or it has failed before.
    func left() { count.subtract(1, ordering: .relaxed) }
}

/// A connection that is counted until a task serves it.
package struct AcceptedChannel<Connection: ServerChildChannel>: ServerChildChannel {
    let connection: Connection
    let accepted: AcceptedConnections

    /// Adds the handlers of the connection, on its event loop. They answer health checks from now on.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection.Value> {
        accepted.accepted()
        let value = connection.setup(channel: channel, logger: logger)
        value.whenFailure { [accepted] _ in accepted.left() }
        return value
    }

    package func handle(value: Connection.Value, logger: Logger) async {
        accepted.left()
        await connection.handle(value: value, logger: logger)
    }
}
