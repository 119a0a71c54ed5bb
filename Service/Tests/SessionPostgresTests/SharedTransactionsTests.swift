internal import SessionDomain
internal import Synchronization
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
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

    @Test("A session whose row is locked does not delay the refreshes that share its transaction until it is free")
    func lockedRow() async throws {
        let url = try TestServer.emptySchema()
        var options = PoolOptions()
        options.size = 1
        let store = try PostgresStore.open(PostgresLocation(url), options: options)
        let world = try ContractWorld(store: store)
        let user = try await world.addUser()
        var sessions: [Session] = []
        for _ in 0..<20 { sessions.append(try await world.signIn(user)) }
        // In the middle, in the order of a transaction.
        sessions.sort { $0.id < $1.id }
        let locked = sessions.remove(at: 10)
        let holder = try TestServer.connect(to: url)
        _ = try holder.run([.begin, Statement("SELECT id FROM sessions WHERE id = $1 FOR UPDATE", [locked.id])])
        // The only connection is busy, so the refreshes behind it become one batch.
        let busy = Task { try await store.read([Statement("SELECT pg_sleep(0.1)")]) { _ in } }
        let begin = ContinuousClock.now
        let slow = Task { try await world.rotate(locked, proof: world.proof("locked")) }
        let others = sessions
        let outcomes = try await concurrently(others.count) { number in
            try await world.rotate(others[number], proof: world.proof("refresh \(number)"))
        }
        // The others have answers while the row is still locked.
        #expect(outcomes.allSatisfy { if case .rotated = $0 { true } else { false } })
        _ = try holder.run([.rollback])
        // The one behind the lock has its own then. Its attempts last more than three seconds. If this test went on later than
        // that, it repeats.
        func repeated(_ error: any Error) async throws -> RotationOutcome {
            #expect(ContinuousClock.now - begin > .seconds(3), "\(error)")
            return try await world.rotate(locked, proof: world.proof("locked again"))
        }
        let late =
            switch await slow.result {
            case .success(let outcome): outcome
            case .failure(let error): try await repeated(error)
            }
        if case .rotated = late {} else { Issue.record("the locked session is not refreshed") }
        try await busy.value
        await store.close()
    }

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
