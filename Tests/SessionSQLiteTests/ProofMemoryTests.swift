internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite
@testable internal import SessionStoreContract

@Suite("Used proofs are found in the order in which they arrived")
struct ProofMemoryTests {
    private let file: ProofFile
    private var path: String { file.path }

    init() throws { file = try ProofFile() }

    @Test("A service has read all proofs when it starts, and a command reads none")
    func start() async throws {
        let first = try file.open()
        #expect(try await file.use("one", in: first))
        #expect(try await file.use("two", in: first))
        try await first.close()
        let second = try file.open()
        #expect(try await file.places(of: "one", in: second) == [1])
        #expect(try await file.places(of: "two", in: second) == [2])
        #expect(try await file.use("one", in: second) == false)
        #expect(try await file.use("three", in: second))
        let command = try SQLiteStore.open(.file(path), opening: .existing)
        try await command.checkWriting()
        #expect(try await file.places(of: "one", in: command) == [])
        #expect(try await file.use("one", in: command) == false)
        #expect(try await file.places(of: "one", in: command) == [1])
        for store in [second, command] { try await store.close() }
    }

    @Test("A proof that one process has used is used for all of them")
    func processes() async throws {
        let (one, two) = (try file.open(), try file.open())
        for round in 0..<3 {
            #expect(try await file.use("\(round) one", in: one))
            #expect(try await file.use("\(round) one", in: two) == false)
            #expect(try await file.use("\(round) two", in: two))
            #expect(try await file.use("\(round) two", in: one) == false)
            #expect(try await file.use("\(round) one", in: one) == false)
        }
        #expect(try await file.rows(one) == Array(1...6))
        for store in [one, two] { try await store.close() }
    }

    @Test("A process of an older version that deletes all proofs hides none of the later ones")
    func deletionByOlder() async throws {
        let (one, two) = (try file.open(), try file.open())
        for name in ["a", "b", "c"] {
            #expect(try await file.use(name, in: one))
            #expect(try await file.use(name, in: two) == false)
        }
        let older = try DatabaseQueue(path: path)
        try await older.write { try $0.execute(sql: "DELETE FROM proofs WHERE expires_at <= 60000") }
        // These have the numbers of those that were deleted, and one more.
        for name in ["d", "e", "f", "g"] { #expect(try await file.use(name, in: one, at: 100)) }
        #expect(try await file.rows(two) == [1, 2, 3, 4])
        for name in ["d", "e", "f", "g"] { #expect(try await file.use(name, in: two, at: 100) == false) }
        try older.close()
        for store in [one, two] { try await store.close() }
    }

    @Test("A process that deletes all proofs but the last leaves no gap for another one")
    func deletionByAnother() async throws {
        let (one, two) = (try file.open(), try file.open())
        for name in ["a", "b", "c"] { #expect(try await file.use(name, in: one)) }
        #expect(try await file.use("d", in: two))
        #expect(try await one.deleteExpired(now: Timestamp(seconds: 1000), limit: 10) == 3)
        #expect(try await one.deleteExpired(now: Timestamp(seconds: 1000), limit: 10) == 0)
        #expect(try await file.rows(one) == [4])
        // With a number from 1 again, the other process would not read these.
        for name in ["e", "f"] { #expect(try await file.use(name, in: one, at: 1000)) }
        for name in ["e", "f"] { #expect(try await file.use(name, in: two, at: 1000) == false) }
        #expect(try await two.deleteExpired(now: Timestamp(seconds: 1001), limit: 10) == 1)
        #expect(try await file.rows(two) == [5, 6])
        for store in [one, two] { try await store.close() }
    }

    @Test("Proofs are deleted in their order up to the limit")
    func deletion() async throws {
        let store = try file.open()
        for second in [0, 1, 2, 70, 71] { #expect(try await file.use("\(second)", in: store, at: Int64(second))) }
        func delete(at seconds: Int64) async throws -> Int {
            try await store.deleteExpired(now: Timestamp(seconds: seconds), limit: 2)
        }
        #expect(try await delete(at: 59) == 0)
        #expect(try await delete(at: 61) == 2)
        #expect(try await delete(at: 61) == 0)
        #expect(try await file.use("2", in: store, at: 61) == false)
        #expect(try await delete(at: 62) == 1)
        #expect(try await file.use("70", in: store, at: 129) == false)
        #expect(try await file.rows(store) == [4, 5])
        try await store.close()
    }

    @Test("A deletion that failed is made up for, also without new proofs")
    func failedDeletion() async throws {
        let store = try file.open()
        for name in ["a", "b", "c"] { #expect(try await file.use(name, in: store)) }
        #expect(try await file.use("last", in: store, at: 500))
        let observer = CommitObserver()
        store.database.add(transactionObserver: observer)
        observer.refuseCommits(true)
        let now = Timestamp(seconds: 1000)
        await #expect(throws: StoreError.self) { try await store.deleteExpired(now: now, limit: 10) }
        observer.refuseCommits(false)
        // The clock was ahead, and nothing is deleted.
        for name in ["a", "b", "c"] { #expect(try await file.use(name, in: store, at: 10) == false) }
        #expect(try await store.deleteExpired(now: now, limit: 10) == 3)
        #expect(try await file.rows(store) == [4])
        try await store.close()
    }

    @Test("Expired proofs are forgotten while their rows are kept, and read again if the clock goes back")
    func clockBack() async throws {
        let store = try file.open()
        #expect(try await file.use("one", in: store))
        #expect(try await file.use("two", in: store, at: 500))
        #expect(try await file.places(of: "one", in: store, at: 100) == [1])
        // The second interval after the one in which it expired.
        #expect(try await file.places(of: "one", in: store, at: 140) == [])
        #expect(try await file.use("two", in: store, at: 140) == false)
        #expect(try await file.places(of: "one", in: store, at: 120) == [])
        #expect(try await file.use("one", in: store, at: 59) == false)
        #expect(try await file.places(of: "one", in: store, at: 59) == [1])
        #expect(try await file.use("one", in: store, at: 140))
        #expect(try await file.rows(store) == [1, 2, 3])
        try await store.close()
    }

    @Test("A process that gets no proofs forgets those of the others when it deletes")
    func idle() async throws {
        let (busy, idle) = (try file.open(), try file.open())
        for name in ["one", "two"] { #expect(try await file.use(name, in: busy)) }
        #expect(try await file.use("three", in: busy, at: 500))
        #expect(try await idle.deleteExpired(now: Timestamp(seconds: 50), limit: 1) == 0)
        #expect(idle.proofs.count == 3)
        #expect(try await idle.deleteExpired(now: Timestamp(seconds: 500), limit: 1) == 1)
        #expect(idle.proofs.count == 1)
        for name in ["two", "three"] { #expect(try await file.use(name, in: idle, at: 59) == false) }
        for store in [busy, idle] { try await store.close() }
    }

    @Test("Proofs that a clock years ahead wrote keep no expired ones behind them in the file")
    func clockAhead() async throws {
        let store = try file.open()
        let years: Int64 = 10 * 365 * 86_400
        for index in 0..<20 { #expect(try await file.use("ahead \(index)", in: store, at: years)) }
        for index in 0..<5 { #expect(try await file.use("\(index)", in: store)) }
        #expect(try await store.deleteExpired(now: Timestamp(seconds: 60), limit: 3) == 3)
        #expect(try await store.deleteExpired(now: Timestamp(seconds: 60), limit: 3) == 1)
        #expect(try await file.rows(store) == Array(1...20) + [25])
        #expect(try await file.use("ahead 0", in: store, at: years) == false)
        try await store.close()
    }

    @Test("A proof that is used again after it expired stays used when its first row is deleted, and after a restart")
    func again() async throws {
        let store = try file.open()
        #expect(try await file.use("one", in: store, at: 0))
        #expect(try await file.use("one", in: store, at: 59) == false)
        #expect(try await file.use("one", in: store, at: 60))
        #expect(try await file.rows(store) == [1, 2])
        try await store.close()

        let second = try file.open()
        #expect(try await file.use("one", in: second, at: 61) == false)
        #expect(try await file.use("another", in: second, at: 61))
        #expect(try await second.deleteExpired(now: Timestamp(seconds: 61), limit: 10) == 1)
        #expect(try await file.rows(second) == [2, 3])
        #expect(try await file.use("one", in: second, at: 61) == false)
        try await second.close()
    }

    @Test("A copy has a proof that was used again once, with the later expiry")
    func copy() async throws {
        let store = try file.open()
        #expect(try await file.use("one", in: store, at: 0))
        #expect(try await file.use("one", in: store, at: 60))
        try await store.close()
        let source = try SQLiteCopySource(path)
        let table = try #require(CopiedTable.all.first { $0.name == "proofs" })
        #expect(try source.count(table) == 1)
        var text = ""
        try source.read(table, skipping: 0) { text += String(decoding: $0.bytes, as: UTF8.self) }
        #expect(text == "testapp\t\(file.proof("one", at: 0).shortKey)\t120000\n")
        source.close()
    }

    private struct Undone: Error {}

    @Test("The proof of a job that is undone can be used", arguments: [false, true])
    func undoneJob(withSavepoint: Bool) async throws {
        let store = try file.open()
        // The next transactions have savepoints.
        if withSavepoint {
            await #expect(throws: Undone.self) {
                try await store.writer.perform { _ -> WriteResult<Void> in throw Undone() }
            }
        }
        await #expect(throws: Undone.self) {
            try await store.writer.perform { [file] db -> WriteResult<Void> in
                try db.reserve(file.proof("one", at: 0), app: file.app, now: Timestamp(seconds: 0), store.proofs)
                throw Undone()
            }
        }
        #expect(try await file.rows(store) == [])
        #expect(try await file.places(of: "one", in: store) == [1])
        // It gets the place of the one that was undone.
        #expect(try await file.use("two", in: store))
        #expect(try await file.use("one", in: store))
        for name in ["one", "two"] { #expect(try await file.use(name, in: store) == false) }
        try await store.close()
    }

    @Test("A number that a failed commit has not used is read when another process has used it")
    func failedCommit() async throws {
        let (one, two) = (try file.open(), try file.open())
        #expect(try await file.use("first", in: one))
        let observer = CommitObserver()
        one.database.add(transactionObserver: observer)
        observer.refuseCommits(true)
        await #expect(throws: StoreError.self) { try await file.use("failed", in: one) }
        observer.refuseCommits(false)
        #expect(try await file.use("second", in: two))
        #expect(try await file.use("second", in: one) == false)
        #expect(try await file.use("failed", in: one))
        #expect(try await file.use("failed", in: two) == false)
        #expect(try await file.rows(two) == [1, 2, 3])
        for store in [one, two] { try await store.close() }
    }
}
