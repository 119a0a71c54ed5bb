internal import Foundation
internal import SessionDomain
internal import SessionTokens
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("A store and its connections", .timeLimit(.minutes(1)))
struct PoolTests {
    /// Runs a test with a store of its own. The test can connect to the same schema.
    private func withStore(
        size: Int = 1, capacity: Int = 4096, patience: Int64 = 5000,
        _ body: (PostgresStore, ContractWorld, String) async throws -> Void
    ) async throws {
        let url = try TestServer.emptySchema()
        var options = PoolOptions()
        (options.size, options.capacity, options.patience) = (size, capacity, patience)
        let store = try PostgresStore.open(PostgresLocation(url), options: options)
        try await body(store, try ContractWorld(store: store), url)
        await store.close()
    }

    /// The process of the server behind the only connection of a store.
    private func pid(_ store: PostgresStore) async throws -> Int {
        try await store.read([Statement("SELECT pg_backend_pid()")]) { try $0[0].first { try $0.next() } ?? 0 }
    }

    private func proofs(_ url: String) throws -> Int {
        try TestServer.connect(to: url).one("SELECT count(*) FROM proofs")
    }

    @Test("A guard that fails leaves nothing of its intent")
    func guarded() async throws {
        try await withStore { _, world, url in
            try await world.write(.reserveProof(world.proof("used"), app: world.app, now: world.now))
            let failures = try await world.failures(
                of: .reserveProof(world.proof("new"), app: world.app, now: world.now),
                .reserveProof(world.proof("used"), app: world.app, now: world.now))
            #expect(failures == GuardFailures(.taken(.proof(world.proof("used").replayKey))))
            #expect(try proofs(url) == 1)
        }
    }

    @Test("A decision that is not written leaves nothing, and one that throws spoils nothing")
    func unwritten() async throws {
        try await withStore { _, world, url in
            let change = Change.reserveProof(world.proof("new"), app: world.app, now: world.now)
            try await world.store.perform(Decide { .unwritten((), checking: [change]) })
            #expect(try proofs(url) == 0)
            await #expect(throws: Oops()) { try await world.store.perform(Decide { throw Oops() }) }
            try await world.write(change)
            #expect(try proofs(url) == 1)
        }
    }

    @Test("An intent of a batch that throws, or that is refused, does not change the others")
    func batch() async throws {
        try await withStore { store, world, _ in
            let user = try await world.addUser()
            let sessions = try await concurrently(30) { _ in try await world.signIn(user) }
            // The only connection is busy, so the jobs behind it become one batch.
            let busy = Task { try await store.read([Statement("SELECT pg_sleep(0.05)")]) { _ in } }
            let counts = Tally()
            let answers = try await concurrently(30) { index -> Bool in
                do {
                    try await world.store.perform(
                        Touch(session: sessions[index], throwsError: index % 10 == 3, fails: index % 10 == 7) {
                            counts.add()
                        })
                    return true
                } catch is Oops {
                    return false
                }
            }
            try await busy.value
            #expect(answers.count { $0 } == 27)
            let generations = try await concurrently(30) {
                try await store.session(sessions[$0].id, app: world.app)?.generation
            }
            #expect(generations.count { $0 == 1 } == 24)
            #expect(generations.count { $0 == 0 } == 6)
        }
    }

    @Test("A connection that is lost before its commit is replaced, and no caller notices")
    func lost() async throws {
        try await withStore { store, world, url in
            for number in 0..<3 {
                try TestServer.terminate(try await pid(store))
                try await world.write(.reserveProof(world.proof("\(number)"), app: world.app, now: world.now))
                #expect(try proofs(url) == number + 1)
            }
        }
    }

    @Test("A connection that is lost while an intent decides is replaced, and the intent runs again")
    func lostWhileDeciding() async throws {
        try await withStore { store, world, url in
            let first = try await pid(store)
            let attempts = Tally()
            let change = Change.reserveProof(world.proof("new"), app: world.app, now: world.now)
            try await world.store.perform(
                Decide {
                    attempts.add()
                    if attempts.count == 1 { try TestServer.terminate(first) }
                    return Decision((), [change])
                })
            #expect(attempts.count == 2)
            #expect(try proofs(url) == 1)
        }
    }

    @Test("A commit whose connection is lost is an error, and is not repeated")
    func lostCommit() async throws {
        try await withStore { store, world, url in
            // The server ends the connection when it comes to the commit.
            _ = try TestServer.connect(to: url).run([
                Statement(
                    """
                    CREATE FUNCTION lose() RETURNS TRIGGER LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
                    """),
                Statement(
                    """
                    CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON proofs DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION lose()
                    """),
            ])
            let attempts = Tally()
            let change = Change.reserveProof(world.proof("new"), app: world.app, now: world.now)
            await #expect(throws: StoreError.self) {
                try await world.store.perform(
                    Decide {
                        attempts.add()
                        return Decision((), [change])
                    })
            }
            #expect(attempts.count == 1)
            #expect(store.health.isFailing)
            // The store works again with a new connection.
            try await store.checkWriting()
            #expect(!store.health.isFailing)
        }
    }

    @Test("One job more than may wait is refused, and closing finishes those that wait")
    func capacity() async throws {
        let url = try TestServer.emptySchema()
        var options = PoolOptions()
        // No job gives up because the machine is slow.
        (options.size, options.capacity, options.patience) = (1, 3, 600_000)
        let store = try PostgresStore.open(PostgresLocation(url), options: options)
        let read = Statement("SELECT count(*) FROM proofs")
        // Keeps the only thread. A lock of the server would end after its timeout.
        let gate = DispatchSemaphore(value: 0)
        let done = Tally()
        let refused = Tally()
        let jobs = (0..<8).map { _ in
            Task {
                do {
                    try await store.read([read]) { _ in gate.wait() }
                    done.add()
                } catch StoreError.overloaded {
                    refused.add()
                } catch let error as StoreError where error == .unavailable("the store is closed") {
                    // If no thread has begun, four are refused before the last one calls.
                    refused.add()
                }
            }
        }
        // One runs and three wait; or four wait for a thread that has not begun.
        while refused.count < 4 { await Task.yield() }
        let closing = Task { await store.close() }
        for _ in jobs { gate.signal() }
        await closing.value
        for job in jobs { try await job.value }
        #expect(done.count + refused.count == 8)
        #expect((3...4).contains(done.count))
        await #expect(throws: StoreError.unavailable("the store is closed")) { try await store.read([read]) { _ in } }
        await store.close()
    }

    @Test("Texts of a caller are never a part of a statement")
    func injection() async throws {
        try await withStore { store, world, _ in
            let evil = "'); DROP TABLE users; --"
            _ = try await world.addUser(externalID: evil)
            #expect(try await store.user(externalID: evil, app: world.app)?.externalID == evil)
            #expect(try await store.user(externalID: "' OR '1'='1", app: world.app) == nil)
            await #expect(throws: StoreError.self) { try await store.user(externalID: evil + "\0", app: world.app) }
            let factory = EventFactory(appID: world.app, environment: world.environment)
            try await store.perform(AppendEvents([factory.make(.userCreated, ["user_id": .string(evil)])]))
            #expect(try await store.events(EventQuery(app: world.app, user: evil, limit: 5))?.count == 1)
            for text in [evil, "user.%", "%", "x' OR TRUE --"] {
                for name in [.exactly(text), .family(text)] as [EventQuery.NameFilter] {
                    #expect(try await store.events(EventQuery(app: world.app, name: name, limit: 5)) == [], "\(text)")
                }
                let query = EventQuery(app: world.app, user: text + "'", before: text, limit: 5)
                #expect(try await store.events(query) == nil, "\(text): no event has this id")
            }
        }
    }
}

private struct Oops: Error, Equatable {}

/// An intent without facts.
private struct Decide: Intent {
    let reads = Read<Void>(app: nil)
    let decision: @Sendable () throws -> Decision<Void>

    func decide(_: Void) throws -> Decision<Void> { try decision() }
}

/// An intent that shares transactions with those of other sessions, as a refresh does.
private struct Touch: Intent {
    let session: Session
    let throwsError: Bool
    let fails: Bool
    let note: @Sendable () -> Void

    var reads: Read<(Session?, GuardFailures)> {
        Read(app: session.appID, .session(session.id), .userOfSession(isShared: true), .failures) { ($0, $2) }
    }

    func decide(_ facts: (Session?, GuardFailures)) throws -> Decision<Void> {
        note()
        if throwsError { throw Oops() }
        guard let stored = facts.0 else { return Decision(()) }
        var next = stored
        next.generation += 1
        let id = "touch \(session.id)"
        if facts.1.isTaken(.redemption(id)) { return Decision(()) }
        let twice = Change.redeem(id, until: session.createdAt, app: session.appID)
        return Decision((), [.replaceSession(stored, with: next)] + (fails ? [twice, twice] : []))
    }
}
