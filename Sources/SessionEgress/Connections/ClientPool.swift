internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import SessionDomain

/// The clients for targets called lately. Each keeps connections alive and a TLS context, which is dear to make.
///
/// When nothing is under way, `maximumIdle` clients are kept; the one unused for longest goes first. A client in use is
/// never closed, so in between there are as many more as there are calls to different targets.
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

    /// Lends the target's client for as long as the work takes.
    nonisolated func withClient<Answer: Sendable>(
        for target: PinnedTarget, _ work: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let client = try await lend(target)
        do {
            let answer = try await work(client)
            await takeBack(target)
            return answer
        } catch {
            await takeBack(target)
            throw error
        }
    }

    /// Closes all clients, those in use included; nothing is lent afterwards.
    ///
    /// Waits for a second at most: a connection that hangs while it is made is not worth the end of the service.
    func shutdown() async {
        isShutDown = true
        let clients = entries.values.map(\.client)
        entries = [:]
        let closings: [EventLoopFuture<Void>] = clients.map { $0.shutdown() }
        let eventLoop = eventLoopGroup.next()
        // What fails to close cleanly, or in time, is given up all the same.
        try? await Deadline.run(until: .now() + .seconds(1), on: eventLoop) {
            try await AbandonableAnswer.wait { answer in
                EventLoopFuture.andAllComplete(closings, on: eventLoop).whenComplete { answer.give($0) }
            }
        }
    }

    private func lend(_ target: PinnedTarget) throws(EgressError) -> HTTPClient {
        guard !isShutDown else { throw .connectionFailed("The service is shutting down.") }
        var entry =
            entries[target]
            ?? Entry(client: target.makeClient(tls: tls, keepAlive: keepAlive, eventLoopGroup: eventLoopGroup))
        entry.users += 1
        entries[target] = entry
        return entry.client
    }

    private func takeBack(_ target: PinnedTarget) {
        uses += 1
        entries[target]?.users -= 1
        entries[target]?.lastUse = uses
        while entries.count > maximumIdle, let oldest = entries.filter({ $0.value.users == 0 }).min(by: isOlder) {
            entries[oldest.key] = nil
            // Nobody waits for an idle client to close, and there is nothing to do when it closes badly.
            oldest.value.client.shutdown { _ in }
        }
    }

    private func isOlder(_ one: (key: PinnedTarget, value: Entry), _ other: (key: PinnedTarget, value: Entry)) -> Bool {
        one.value.lastUse < other.value.lastUse
    }
}
