internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import SessionDomain

/// The clients of recently called targets. Each keeps connections open and a TLS context, which is expensive to make.
///
/// At most `maximumIdle` idle clients are kept; the least recently used one is closed first. A client in use is never
/// closed, so there may be more clients while calls run.
@available(service, *)
actor ClientPool {
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
    private var entries: [PinnedTarget: Entry] = [:]
    private var uses = 0
    private var isShutDown = false

    init(
        tls: TLSConfiguration, eventLoopGroup: any EventLoopGroup, maximumIdle: Int = ClientPool.maximumIdle,
        keepAlive: TimeAmount = .seconds(4)
    ) {
        self.tls = tls
        self.eventLoopGroup = eventLoopGroup
        self.maximumIdle = maximumIdle
        self.keepAlive = keepAlive
    }

    var targets: Set<PinnedTarget> { Set(entries.keys) }

    /// Calls `work` with the target's client. The client is not closed until the work ends.
    nonisolated func withClient<Answer: Sendable>(
        for target: PinnedTarget, _ work: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let client = try await acquire(target)
        do {
            let answer = try await work(client)
            await release(target)
            return answer
        } catch {
            await release(target)
            throw error
        }
    }

    /// Closes all clients, including those in use. Later calls fail.
    ///
    /// Waits at most one second: a connection that hangs must not delay the end of the process.
    func shutdown() async {
        isShutDown = true
        let clients = entries.values.map(\.client)
        entries = [:]
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
        guard !isShutDown else { throw .connectionFailed("The service is shutting down.") }
        var entry =
            entries[target]
            ?? Entry(client: target.makeClient(tls: tls, keepAlive: keepAlive, eventLoopGroup: eventLoopGroup))
        entry.users += 1
        entries[target] = entry
        return entry.client
    }

    private func release(_ target: PinnedTarget) {
        uses += 1
        entries[target]?.users -= 1
        entries[target]?.lastUse = uses
        while entries.count > maximumIdle, let oldest = entries.filter({ $0.value.users == 0 }).min(by: isOlder) {
            entries[oldest.key] = nil
            // No caller waits for an idle client to close, and a failure has no effect.
            oldest.value.client.shutdown { _ in }
        }
    }

    private func isOlder(_ one: (key: PinnedTarget, value: Entry), _ other: (key: PinnedTarget, value: Entry)) -> Bool {
        one.value.lastUse < other.value.lastUse
    }
}
