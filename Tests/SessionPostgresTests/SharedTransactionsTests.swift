internal import SessionDomain
internal import Synchronization
internal import Testing

@testable import SessionPostgres
@testable import SessionStoreContract

@Suite("Transactions that several refreshes share", .timeLimit(.minutes(1)))
struct SharedTransactionsTests {
    /// The largest number of writes in a transaction, while 50 sessions are refreshed over one connection.
    private func largestBatch(_ setting: String?) async throws -> Int {
        let location = try PostgresLocation(
            try TestServer.emptySchema() + (setting.map { "%20-c\(SharedTransactions.setting)%3D\($0)" } ?? ""))
        var options = PoolOptions()
        options.size = 1
        let batches = Batches()
        let store = try PostgresStore.open(location, options: options, observer: batches)
        let world = try ContractWorld(store: store)
        let user = try await world.addUser()
        var sessions: [Session] = []
        for _ in 0..<50 { sessions.append(try await world.signIn(user)) }
        let started = sessions
        _ = try await concurrently(started.count) { number in
            try await world.rotate(started[number], proof: world.proof("refresh \(number)"))
        }
        await store.close()
        return batches.largest.withLock(\.self)
    }

    @Test("Refreshes that wait for a connection share a transaction")
    func on() async throws { #expect(try await largestBatch("on") > 1) }

    @Test("They share one if nothing is set")
    func unset() async throws { #expect(try await largestBatch(nil) > 1) }

    @Test("An operator of an engine that spreads users over machines can switch it off")
    func off() async throws { #expect(try await largestBatch("off") == 1) }

    @Test("No store opens with another value, and the error names the setting", arguments: ["no", "ON", "1"])
    func invalid(value: String) async throws {
        let url = try TestServer.emptySchema() + "%20-c\(SharedTransactions.setting)%3D\(value)"
        #expect(throws: StoreError.unavailable("prelude_session.shared_transactions must be on or off")) {
            try PostgresStore.open(PostgresLocation(url))
        }
    }
}

private final class Batches: ServiceObserver {
    let largest = Mutex(0)

    func observe(_ occurrence: Occurrence) {
        guard case .committed(let batch) = occurrence else { return }
        largest.withLock { $0 = max($0, batch.writes) }
    }
}
