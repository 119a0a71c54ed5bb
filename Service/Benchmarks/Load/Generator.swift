import NIOCore
import NIOPosix

/// Sends requests to servers from one event loop, and plays the backend that gets the codes.
struct Generator: Sendable {
    private let loop: any EventLoop
    private let state: NIOLoopBound<LoadState>

    init() async throws {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        self.loop = loop
        state = try await loop.submit { NIOLoopBound(LoadState(loop: loop), eventLoop: loop) }.get()
    }

    /// Starts the played backend.
    ///
    /// - Returns: Its port on the loopback.
    func startBackend() async throws -> Int {
        let channel = try await ServerBootstrap(group: loop)
            .childChannelInitializer { [state] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PlayedBackend(state.value.inbox))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return channel.localAddress?.port ?? 0
    }

    /// Opens connections to a server, and waits until it listens.
    ///
    /// - Parameter process: The process of the server, if it is a child. If it ends, waiting ends.
    /// - Throws: `BenchmarkError` if it does not listen within 30 seconds.
    func connect(_ server: ServerKind, port: Int, count: Int, of process: ChildProcess? = nil) async throws {
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [state] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(state.value.connection(to: server, port: port))
                }
            }
        var (open, failures) = (0, 0)
        while open < count {
            do {
                _ = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
                open += 1
            } catch {
                try process?.check()
                failures += 1
                guard failures < 300 else { throw BenchmarkError("\(server) does not listen: \(error)") }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await loop.submit { [state] in state.value.removeClosed(server) }.get()
    }

    /// Opens connections to another server, one for each session.
    func connect(_ peer: Peer) async throws {
        try await loop.submit { [state] in try state.value.add(peer) }.get()
        try await connect(.peer, port: peer.port, count: peer.sessions.count)
    }

    func run(_ phase: Phase, _ scenario: Scenario) async throws -> PhaseResult {
        try await loop.flatSubmit { [state, loop] in
            do {
                return try state.value.start(phase, scenario)
            } catch {
                return loop.makeFailedFuture(error)
            }
        }.get()
    }

    /// Runs two phases on different connections at the same time. Only one of them may need codes.
    func run(
        _ first: Phase, _ scenario: Scenario, beside second: Phase, _ other: Scenario
    ) async throws -> (PhaseResult, PhaseResult) {
        async let beside = run(second, other)
        return (try await run(first, scenario), try await beside)
    }

    /// A port that is free now.
    func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}
