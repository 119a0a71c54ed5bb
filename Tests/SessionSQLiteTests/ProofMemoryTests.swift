internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite
@testable internal import SessionStoreContract

@Suite("Used proofs are found in the order in which they arrived")
struct ProofMemoryTests {
    private let directory: TemporaryDirectory
    private let app: AppID

    init() throws {
        directory = try TemporaryDirectory()
        app = try #require(AppID("testapp"))
    }

    private func open() throws -> SQLiteStore { try SQLiteStore.open(.file(directory.path("store.sqlite"))) }

    private func proof(_ name: String, at seconds: Int64) -> ProofUse {
        let now = Timestamp(seconds: seconds)
        return ProofUse(
            thumbprint: "key", replayKey: ContractWorld.replayKey(name), rememberUntil: now + 60, nonce: nil,
            windowStart: now, isFresh: true, issuedAt: now)
    }

    /// - Returns: Whether the proof is new.
    private func use(_ name: String, in store: SQLiteStore, at seconds: Int64 = 0) async throws -> Bool {
        let now = Timestamp(seconds: seconds)
        return try await store.perform(ReserveProof(proof(name, at: seconds), app: app, now: now))
    }

    /// The numbers of the rows.
    private func rows(_ store: SQLiteStore) async throws -> [Int] {
        try await store.database.read { try Int.fetchAll($0, sql: "SELECT sequence FROM proofs ORDER BY sequence") }
    }

    /// The places where the process looks for a proof.
    private func places(of name: String, in store: SQLiteStore, at seconds: Int64 = 0) async throws -> [Int64] {
        let key = proof(name, at: 0).shortKey
        return try await store.database.writeWithoutTransaction { [app, proofs = store.proofs] db in
            try proofs.places(of: key, app, now: Timestamp(seconds: seconds), db).sorted()
        }
    }

    @Test("A service has read all proofs when it starts, and a command reads none")
    func start() async throws {
        let first = try open()
        #expect(try await use("one", in: first))
        #expect(try await use("two", in: first))
        try await first.close()
        let second = try open()
        #expect(try await places(of: "one", in: second) == [1])
        #expect(try await places(of: "two", in: second) == [2])
        #expect(try await use("one", in: second) == false)
        #expect(try await use("three", in: second))
        let command = try SQLiteStore.open(.file(directory.path("store.sqlite")), opening: .existing)
        try await command.checkWriting()
        #expect(try await places(of: "one", in: command) == [])
        #expect(try await use("one", in: command) == false)
        #expect(try await places(of: "one", in: command) == [1])
        for store in [second, command] { try await store.close() }
    }

    @Test("A proof that one process has used is used for all of them")
    func processes() async throws {
        let (one, two) = (try open(), try open())
        for round in 0..<3 {
            #expect(try await use("\(round) one", in: one))
            #expect(try await use("\(round) one", in: two) == false)
            #expect(try await use("\(round) two", in: two))
            #expect(try await use("\(round) two", in: one) == false)
            #expect(try await use("\(round) one", in: one) == false)
        }
        #expect(try await rows(one) == Array(1...6))
        for store in [one, two] { try await store.close() }
    }

    @Test("A process of an older version that deletes all proofs hides none of the later ones")
    func deletionByOlder() async throws {
        let (one, two) = (try open(), try open())
        for name in ["a", "b", "c"] {
            #expect(try await use(name, in: one))
            #expect(try await use(name, in: two) == false)
        }
        let older = try DatabaseQueue(path: directory.path("store.sqlite"))
        try await older.write { try $0.execute(sql: "DELETE FROM proofs WHERE expires_at <= 60000") }
        // These have the numbers of those that were deleted, and one more.
        for name in ["d", "e", "f", "g"] { #expect(try await use(name, in: one, at: 100)) }
        #expect(try await rows(two) == [1, 2, 3, 4])
        for name in ["d", "e", "f", "g"] { #expect(try await use(name, in: two, at: 100) == false) }
        try older.close()
        for store in [one, two] { try await store.close() }
    }

    @Test("A process that deletes all proofs but the last leaves no gap for another one")
    func deletionByAnother() async throws {
        let (one, two) = (try open(), try open())
        for name in ["a", "b", "c"] { #expect(try await use(name, in: one)) }
        #expect(try await use("d", in: two))
        #expect(try await one.deleteExpired(now: Timestamp(seconds: 1000), limit: 10) == 3)
        #expect(try await one.deleteExpired(now: Timestamp(seconds: 1000), limit: 10) == 0)
        #expect(try await rows(one) == [4])
        // With a number from 1 again, the other process would not read these.
        for name in ["e", "f"] { #expect(try await use(name, in: one, at: 1000)) }
        for name in ["e", "f"] { #expect(try await use(name, in: two, at: 1000) == false) }
        #expect(try await two.deleteExpired(now: Timestamp(seconds: 1001), limit: 10) == 1)
        #expect(try await rows(two) == [5, 6])
        for store in [one, two] { try await store.close() }
    }

    @Test("Proofs are deleted in their order up to the limit")
    func deletion() async throws {
        let store = try open()
        for second in [0, 1, 2, 70, 71] { #expect(try await use("\(second)", in: store, at: Int64(second))) }
        func delete(at seconds: Int64) async throws -> Int {
            try await store.deleteExpired(now: Timestamp(seconds: seconds), limit: 2)
        }
        #expect(try await delete(at: 59) == 0)
        #expect(try await delete(at: 61) == 2)
        #expect(try await delete(at: 61) == 0)
        #expect(try await use("2", in: store, at: 61) == false)
        #expect(try await delete(at: 62) == 1)
        #expect(try await use("70", in: store, at: 129) == false)
        #expect(try await rows(store) == [4, 5])
        try await store.close()
    }

    @Test("A deletion that failed is made up for, also without new proofs")
    func failedDeletion() async throws {
        let store = try open()
        for name in ["a", "b", "c"] { #expect(try await use(name, in: store)) }
        #expect(try await use("last", in: store, at: 500))
        let observer = CommitObserver()
        store.database.add(transactionObserver: observer)
        observer.refuseCommits(true)
        let now = Timestamp(seconds: 1000)
        await #expect(throws: StoreError.self) { try await store.deleteExpired(now: now, limit: 10) }
        observer.refuseCommits(false)
        // The clock was ahead, and nothing is deleted.
        for name in ["a", "b", "c"] { #expect(try await use(name, in: store, at: 10) == false) }
        #expect(try await store.deleteExpired(now: now, limit: 10) == 3)
        #expect(try await rows(store) == [4])
        try await store.close()
    }

    @Test("Expired proofs are forgotten while their rows are kept, and read again if the clock goes back")
    func clockBack() async throws {
        let store = try open()
        #expect(try await use("one", in: store))
        #expect(try await use("two", in: store, at: 500))
        #expect(try await places(of: "one", in: store, at: 100) == [1])
        // The second interval after the one in which it expired.
        #expect(try await places(of: "one", in: store, at: 140) == [])
        #expect(try await use("two", in: store, at: 140) == false)
        #expect(try await places(of: "one", in: store, at: 120) == [])
        #expect(try await use("one", in: store, at: 59) == false)
        #expect(try await places(of: "one", in: store, at: 59) == [1])
        #expect(try await use("one", in: store, at: 140))
        #expect(try await rows(store) == [1, 2, 3])
        try await store.close()
    }

    @Test("Proofs that a clock years ahead wrote keep no expired ones behind them in the file")
    func clockAhead() async throws {
        let store = try open()
        let years: Int64 = 10 * 365 * 86_400
        for index in 0..<20 { #expect(try await use("ahead \(index)", in: store, at: years)) }
        for index in 0..<5 { #expect(try await use("\(index)", in: store)) }
        #expect(try await store.deleteExpired(now: Timestamp(seconds: 60), limit: 3) == 3)
        #expect(try await store.deleteExpired(now: Timestamp(seconds: 60), limit: 3) == 1)
        #expect(try await rows(store) == Array(1...20) + [25])
        #expect(try await use("ahead 0", in: store, at: years) == false)
        try await store.close()
    }

    @Test("A proof that is used again after it expired stays used when its first row is deleted, and after a restart")
    func again() async throws {
        let store = try open()
        #expect(try await use("one", in: store, at: 0))
        #expect(try await use("one", in: store, at: 59) == false)
        #expect(try await use("one", in: store, at: 60))
        #expect(try await rows(store) == [1, 2])
        try await store.close()

        let second = try open()
        #expect(try await use("one", in: second, at: 61) == false)
        #expect(try await use("another", in: second, at: 61))
        #expect(try await second.deleteExpired(now: Timestamp(seconds: 61), limit: 10) == 1)
        #expect(try await rows(second) == [2, 3])
        #expect(try await use("one", in: second, at: 61) == false)
        try await second.close()
    }

    @Test("A copy has a proof that was used again once, with the later expiry")
    func copy() async throws {
        let store = try open()
        #expect(try await use("one", in: store, at: 0))
        #expect(try await use("one", in: store, at: 60))
        try await store.close()
        let source = try SQLiteCopySource(directory.path("store.sqlite"))
        let table = try #require(CopiedTable.all.first { $0.name == "proofs" })
        #expect(try source.count(table) == 1)
        var text = ""
        try source.read(table, skipping: 0) { text += String(decoding: $0.bytes, as: UTF8.self) }
        #expect(text == "testapp\t\(proof("one", at: 0).shortKey)\t120000\n")
        source.close()
    }

    private struct Undone: Error {}

    @Test("The proof of a job that is undone can be used", arguments: [false, true])
    func undoneJob(withSavepoint: Bool) async throws {
        let store = try open()
        // The next transactions have savepoints.
        if withSavepoint {
            await #expect(throws: Undone.self) {
                try await store.writer.perform { _ -> WriteResult<Void> in throw Undone() }
            }
        }
        await #expect(throws: Undone.self) {
            try await store.writer.perform { [proof = proof("one", at: 0), app] db -> WriteResult<Void> in
                try db.reserve(proof, app: app, now: Timestamp(seconds: 0), store.proofs)
                throw Undone()
            }
        }
        #expect(try await rows(store) == [])
        #expect(try await places(of: "one", in: store) == [1])
        // It gets the place of the one that was undone.
        #expect(try await use("two", in: store))
        #expect(try await use("one", in: store))
        for name in ["one", "two"] { #expect(try await use(name, in: store) == false) }
        try await store.close()
    }

    @Test("A number that a failed commit has not used is read when another process has used it")
    func failedCommit() async throws {
        let (one, two) = (try open(), try open())
        #expect(try await use("first", in: one))
        let observer = CommitObserver()
        one.database.add(transactionObserver: observer)
        observer.refuseCommits(true)
        await #expect(throws: StoreError.self) { try await use("failed", in: one) }
        observer.refuseCommits(false)
        #expect(try await use("second", in: two))
        #expect(try await use("second", in: one) == false)
        #expect(try await use("failed", in: one))
        #expect(try await use("failed", in: two) == false)
        #expect(try await rows(two) == [1, 2, 3])
        for store in [one, two] { try await store.close() }
    }
}
