internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import SessionDomain
internal import Synchronization

/// The clients of recently called targets. Each keeps connections open and a TLS context, which is expensive to make.
///
/// At most `maximumIdle` idle clients are kept; the least recently used one is closed first. A client in use is never
/// closed, so there may be more clients while calls run.
final class ClientPool: Sendable {
    static let maximumIdle = 32

    private struct Entry {
        let client: HTTPClient
        var users = 0
        var lastUse = 0
    }

    private let tls: TLSConfiguration
    private let eventLoopGroup: any EventLoopGroup
    private let maximumIdle: Int
    private let keepAlive: TimeAmount
    private let state = Mutex(State())

    private struct State {
        var entries: [PinnedTarget: Entry] = [:]
        var uses = 0
        var isShutDown = false
    }

    init(
        tls: TLSConfiguration, eventLoopGroup: any EventLoopGroup, maximumIdle: Int = ClientPool.maximumIdle,
        keepAlive: TimeAmount = .seconds(4)
    ) {
        self.tls = tls
        self.eventLoopGroup = eventLoopGroup
        self.maximumIdle = maximumIdle
        self.keepAlive = keepAlive
    }

    var targets: Set<PinnedTarget> { state.withLock { Set($0.entries.keys) } }

    /// Calls `work` with the target's client. The client is not closed until the work ends.
    func withClient<Answer: Sendable>(
        for target: PinnedTarget, _ work: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let client = try acquire(target)
        defer { release(target) }
        return try await work(client)
    }

    /// Closes all clients, including those in use. Later calls fail.
    ///
    /// Waits at most one second: a connection that hangs must not delay the end of the process.
    func shutdown() async {
        let clients = state.withLock { state in
            defer { state.entries = [:] }
            state.isShutDown = true
            return state.entries.values.map(\.client)
        }
        let closings: [EventLoopFuture<Void>] = clients.map { $0.shutdown() }
        let eventLoop = eventLoopGroup.next()
        // A client that does not close in time, or fails to close, is ignored.
        try? await Deadline.run(until: .now() + .seconds(1), on: eventLoop) {
            try await CancellableContinuation.wait { closed in
                EventLoopFuture.andAllComplete(closings, on: eventLoop).whenComplete { closed.resume(with: $0) }
            }
        }
    }

    private func acquire(_ target: PinnedTarget) throws(EgressError) -> HTTPClient {
        let client: HTTPClient? = state.withLock { state in
            guard !state.isShutDown else { return nil }
            var entry =
                state.entries[target]
                ?? Entry(client: target.makeClient(tls: tls, keepAlive: keepAlive, eventLoopGroup: eventLoopGroup))
            entry.users += 1
            state.entries[target] = entry
            return entry.client
        }
        guard let client else { throw .connectionFailed("The service is shutting down.") }
        return client
    }

    private func release(_ target: PinnedTarget) {
        let surplus: [HTTPClient] = state.withLock { state in
            state.uses += 1
            state.entries[target]?.users -= 1
            state.entries[target]?.lastUse = state.uses
            var surplus: [HTTPClient] = []
            while state.entries.count > maximumIdle,
                let oldest = state.entries.filter({ $0.value.users == 0 }).min(by: isOlder)
            {
                state.entries[oldest.key] = nil
                surplus.append(oldest.value.client)
            }
            return surplus
        }
        // No caller waits for an idle client to close, and a failure has no effect.
        for client in surplus { client.shutdown { _ in } }
    }

    private func isOlder(_ one: (key: PinnedTarget, value: Entry), _ other: (key: PinnedTarget, value: Entry)) -> Bool {
        one.value.lastUse < other.value.lastUse
    }
}
