import Hummingbird
import Logging
import NIOCore
import Testing

/// Runs a router behind a real socket.
enum LoopbackServer {
    /// Serves on a free port while work runs. The work gets the port.
    ///
    /// - Parameter line: Observes and cuts the connections.
    static func serve<Context: RequestContext & InitializableFromSource<ApplicationRequestContextSource>>(
        _ router: Router<Context>, over line: ObservedLine = ObservedLine(),
        _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        var logger = Logger(label: "loopback")
        logger.logLevel = .critical
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            server: .http1(configuration: .init(additionalChannelHandlers: [ObservedLine.Handler(line)])),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let number = channel.localAddress?.port { port.yield(number) }
                port.finish()
            }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await application.run()
            }
            let number = try #require(await ports.first { _ in true })
            try await work(number)
            group.cancelAll()
        }
    }
}
