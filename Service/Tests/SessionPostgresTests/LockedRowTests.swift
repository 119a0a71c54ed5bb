internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("A row that another transaction has locked", .timeLimit(.minutes(1)))
struct LockedRowTests {
    @Test("Calls that wait for the row of one user do not keep those of other users waiting")
    func oneUser() async throws {
        let url = try TestServer.emptySchema()
        var options = TestStores.options
        // Longer than this test.
        options.patience = 60_000
        let store = try PostgresStore.open(PostgresLocation(url), options: options)
        let world = try ContractWorld(store: store)
        let (ada, eve) = (try await world.addUser(), try await world.addUser("eve@example.com"))
        let session = try await world.signIn(eve)
        let holder = try TestServer.connect(to: url)
        _ = try holder.run([.begin, Statement("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [ada.id])])

        let started = Tally()
        let ended = Tally()
        let calls = Task {
            try await concurrently(64) { _ in
                started.add()
                _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: ada.id)))
                ended.add()
            }
        }
        while started.count < 64 { await Task.yield() }
        for number in 0..<3 {
            let outcome = try await world.rotate(
                session, generation: Int64(number), proof: world.proof("refresh \(number)"))
            if case .rotated = outcome {} else { Issue.record("\(outcome)") }
        }
        #expect(ended.count == 0, "the row is still locked")
        _ = try holder.run([.rollback])
        _ = try await calls.value
        #expect(ended.count == 64)
        await store.close()
    }
}
