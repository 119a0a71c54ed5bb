import Hummingbird
import Logging
import NIOCore
import NIOPosix
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

/// A connection to routes, over the network, and the client's end of it.
final class RoutedPair: Sendable {
    private final class Begun: Sendable {
        let value = Mutex(false)
    }

    let server: RoutedConnection
    private let listener: any Channel
    private let client: any Channel
    private let reader: Reader
    private let begun: Begun
    private let input: InputMonitor

    var hasBegun: Bool { begun.value.withLock { $0 } }
    var inputIsClosed: Bool { input.isClosed.withLock { $0 } }

    init(
        work: RequestsInWork = RequestsInWork(limit: 10), reads: Bool = true,
        _ route: @escaping @Sendable (Request, ServiceRequestContext) async throws -> Response
    ) async throws {
        let begun = Begun()
        let responder = CallbackResponder { (request: Request, context: ServiceRequestContext) in
            begun.value.withLock { $0 = true }
            return try await route(request, context)
        }
        let time = Timestamp(seconds: 1_800_000_000)
        let limits = ListenerLimits(
            ConnectionLimits(),
            environment: ServiceEnvironment(
                now: { time }, randomBytes: { [UInt8](repeating: 0, count: $0) }, sleep: { _ in }),
            logger: Logger(label: "test"), work: work, responder: responder, requestLogger: Logger(label: "test"))
        let group = MultiThreadedEventLoopGroup.singleton
        let (connections, connected) = AsyncStream.makeStream(of: RoutedConnection.self)
        let input = InputMonitor()
        listener = try await ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                limits.channel.setup(channel: channel, logger: Logger(label: "test")).flatMapThrowing { connection in
                    try channel.pipeline.syncOperations.addHandler(input, position: .first)
                    connected.yield(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let reader = Reader()
        client = try await ClientBootstrap(group: group)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(reader) }
            }
            .connect(to: #require(listener.localAddress)).get()
        var iterator = connections.makeAsyncIterator()
        server = try #require(await iterator.next())
        (self.reader, self.begun, self.input) = (reader, begun, input)
    }

    func send(_ text: String) async throws { try await client.writeAndFlush(ByteBuffer(string: text)) }

    /// All that has arrived since the last call, when it ends with a text.
    func receive(until end: String) async throws -> String {
        while !reader.text.hasSuffix(end), !reader.isClosed { await Task.yield() }
        return reader.take()
    }

    /// All that arrives until the service closes the connection.
    func receiveAll() async throws -> String {
        while !reader.isClosed { await Task.yield() }
        try await close()
        return reader.take()
    }

    func quiesce() async throws {
        let channel = server.channel
        try await channel.eventLoop.submit {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }.get()
    }

    func startReading() async throws { try await client.setOption(.autoRead, value: true).get() }

    func closeOutput() async throws { try await client.close(mode: .output) }

    func close() async throws {
        try? await client.close()
        try await listener.close()
    }

    private final class Reader: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private struct State {
            var received = ""
            var isClosed = false
        }

        private let state = Mutex(State())

        var text: String { state.withLock(\.received) }
        var isClosed: Bool { state.withLock(\.isClosed) }

        func take() -> String {
            state.withLock { state in
                defer { state.received = "" }
                return state.received
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: Self.unwrapInboundIn(data))
            state.withLock { $0.received += text }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .some(.inputClosed) = event as? ChannelEvent { state.withLock { $0.isClosed = true } }
        }

        func channelInactive(context: ChannelHandlerContext) { state.withLock { $0.isClosed = true } }
    }

    private final class InputMonitor: ChannelInboundHandler, Sendable {
        typealias InboundIn = NIOAny

        let isClosed = Mutex(false)

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            context.fireUserInboundEventTriggered(event)
            if case .some(.inputClosed) = event as? ChannelEvent { isClosed.withLock { $0 = true } }
        }
    }
}
