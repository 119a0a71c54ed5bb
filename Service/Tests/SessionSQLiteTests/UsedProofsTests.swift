import GRDB
import SessionDomain
import Testing

@testable import SessionSQLite
@testable import SessionStoreContract

@Suite("Used proofs")
struct UsedProofsTests {
    private let file: ProofFile

    init() throws { file = try ProofFile() }

    @Test("A proof that one process has used is used for all of them, also after a restart")
    func processes() async throws {
        let (one, two) = (try file.open(), try file.open())
        #expect(try await file.use("a", in: one))
        #expect(try await file.use("a", in: two) == false)
        #expect(try await file.use("b", in: two))
        #expect(try await file.use("b", in: one) == false)
        for store in [one, two] { try await store.close() }
        let later = try file.open()
        for name in ["a", "b"] { #expect(try await file.use(name, in: later) == false) }
        #expect(try await file.rows(later) == 2)
        try await later.close()
    }

    @Test("A proof can be used again after it expired, and has one row")
    func again() async throws {
        let store = try file.open()
        #expect(try await file.use("one", in: store, at: 0))
        #expect(try await file.use("one", in: store, at: 59) == false)
        #expect(try await file.use("one", in: store, at: 60))
        #expect(try await file.use("one", in: store, at: 61) == false)
        #expect(try await file.rows(store) == 1)
        #expect(try await store.deleteExpired(now: Timestamp(seconds: 61), limit: 10) == 0)
        #expect(try await file.use("one", in: store, at: 61) == false)
        try await store.close()
    }

    private struct Undone: Error {}

    @Test("The proof of a job that is undone can be used")
    func undone() async throws {
        let store = try file.open()
        await #expect(throws: Undone.self) {
            try await store.writer.perform { [file] db -> WriteResult<Void> in
                try db.reserve(file.proof("one", at: 0), app: file.app, now: Timestamp(seconds: 0))
                throw Undone()
            }
        }
        #expect(try await file.use("one", in: store))
        #expect(try await file.use("one", in: store) == false)
        try await store.close()
    }

    @Test("Expired proofs are deleted part by part, and those that are used stay")
    func deletion() async throws {
        let store = try file.open()
        for index in 0..<50 { #expect(try await file.use("\(index)", in: store, at: Int64(index % 2) * 100)) }
        // A call reads sixteen of the fifty, and goes on where the one before has ended.
        var deleted: [Int] = []
        for _ in 0..<17 { deleted.append(try await store.deleteExpired(now: Timestamp(seconds: 70), limit: 2)) }
        #expect(deleted.reduce(0, +) == 25 && deleted.allSatisfy { $0 <= 2 })
        #expect(try await file.rows(store) == 25)
        for index in 0..<50 {
            #expect(try await file.use("\(index)", in: store, at: 110) == (index % 2 == 0))
        }
        try await store.close()
    }

    @Test("A deletion that failed is made up for in the next round")
    func failedDeletion() async throws {
        let store = try file.open()
        for name in ["a", "b", "c"] { #expect(try await file.use(name, in: store)) }
        let observer = CommitObserver()
        store.database.add(transactionObserver: observer)
        observer.refuseCommits(true)
        let now = Timestamp(seconds: 1000)
        await #expect(throws: StoreError.self) { try await store.deleteExpired(now: now, limit: 10) }
        observer.refuseCommits(false)
        #expect(try await file.rows(store) == 3)
        #expect(try await store.deleteExpired(now: now, limit: 10) == 3)
        try await store.close()
    }

    @Test("A proof that an earlier schema has twice keeps its later expiry")
    func migration() async throws {
        let key = file.proof("one", at: 0).shortKey
        let database = try DatabaseQueue(path: file.path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number < 17 }, to: db)
        }
        try await database.write { db in
            for (app, expiry) in [("testapp", 90_000), ("testapp", 60_000), ("other01", 5000)] {
                try db.execute(
                    sql: "INSERT INTO proofs (key, app_id, expires_at) VALUES (?, ?, ?)", arguments: [key, app, expiry])
            }
        }
        try database.close()
        let store = try file.open()
        #expect(try await file.rows(store) == 2)
        #expect(try await file.use("one", in: store, at: 89) == false)
        #expect(try await file.use("one", in: store, at: 90))
        try await store.close()
    }
}
