internal import Foundation
internal import SessionDomain
internal import SessionSQLite
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Used proofs in an export", .timeLimit(.minutes(1)))
struct CopiedProofsTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private let url: String
    private let location: PostgresLocation

    init() throws {
        url = try TestServer.emptyDatabase()
        location = try PostgresLocation(url)
    }

    private func count(_ sql: String) throws -> Int { try TestServer.connect(to: url).one(sql) }

    /// Uses some of these proofs in an app.
    ///
    /// - Returns: Whether each one is new.
    private func use(
        _ numbers: ClosedRange<Int>, in store: some IntentStore, app: AppID, lasting seconds: Int = 60
    ) async throws -> [Bool] {
        var answers: [Bool] = []
        for number in numbers {
            let proof = ProofUse(
                thumbprint: "key", replayKey: ContractWorld.replayKey("\(number)"), rememberUntil: Self.now + seconds,
                nonce: nil, windowStart: Self.now, isFresh: true, issuedAt: Self.now)
            answers.append(try await store.perform(ReserveProof(proof, app: app, now: Self.now)))
        }
        return answers
    }

    @Test("A proof stays used in its app, and in no other, after an import and after the way back")
    func proofs() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "proofs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (path, back) = (directory.appending(path: "a").path, directory.appending(path: "b").path)
        let (one, other) = (try #require(AppID("first01")), try #require(AppID("second1")))

        let embedded = try SQLiteStore.open(.file(path))
        #expect(try await use(1...2, in: embedded, app: one) == [true, true])
        #expect(try await use(1...1, in: embedded, app: other) == [true])
        #expect(try await use(9...9, in: embedded, app: one, lasting: 0) == [true])
        try await embedded.close()
        let source = try SQLiteExportSource(path)
        try move(source, to: try PostgresImportTarget(location))
        source.close()

        let postgres = try PostgresStore.open(location, opening: .existing)
        #expect(try await use(1...3, in: postgres, app: one) == [false, false, true])
        #expect(try await use(1...2, in: postgres, app: other) == [false, true])
        // One that has expired is used again, and is in both tables then.
        #expect(try await use(9...9, in: postgres, app: one) == [true])
        await postgres.close()
        #expect(try count("SELECT count(*) FROM copied_proofs") == 4)
        #expect(try count("SELECT count(*) FROM proofs") == 3)

        try move(try PostgresExportSource(location), to: try SQLiteImportTarget(back))
        let again = try SQLiteStore.open(.file(back))
        #expect(try await use(1...4, in: again, app: one) == [false, false, false, true])
        #expect(try await use(1...3, in: again, app: other) == [false, false, true])
        #expect(try await use(9...9, in: again, app: one) == [false])
        try await again.close()
        // None is there twice, and the expired one was kept until housekeeping.
        let rows = try SQLiteExportSource(back)
        #expect(try rows.count(Self.table) == 8)
        rows.close()
    }

    @Test("Imported proofs are deleted when they have expired")
    func expiredProofs() async throws {
        try await PostgresStore.open(location).close()
        try TestServer.connect(to: url).run([
            Statement("INSERT INTO copied_proofs VALUES ('first01', -1, 1000), ('first01', 2, 2000)")
        ])
        let postgres = try PostgresStore.open(location, opening: .existing)
        #expect(try await postgres.deleteExpired(now: Timestamp(milliseconds: 1000), limit: 10) == 1)
        await postgres.close()
        #expect(try TestServer.connect(to: url).one("SELECT key FROM copied_proofs") as Int == 2)
    }

    @Test("PostgreSQL computes the same short key as this program")
    func shortKeys() async throws {
        try await PostgresStore.open(location).close()
        let connection = try TestServer.connect(to: url)
        let keys = (0..<50).map { ContractWorld.replayKey("\($0)") }
        for key in keys {
            try connection.run([Statement("INSERT INTO proofs VALUES ('first01', $1, 1)", [key])])
        }
        let query = "SELECT key FROM \(PostgresExportForm.proofs) ORDER BY key"
        let computed: [Int64] = try connection.run([Statement(query)])[0].all { try $0.next() }
        #expect(computed == keys.map { ProofUse.shortKey(of: $0) }.sorted())
        #expect(computed.contains { $0 < 0 } && computed.contains { $0 > 0 })
    }

    private static var table: ExportedTable {
        get throws { try #require(ExportedTable.all.first { $0.name == "proofs" }) }
    }

    @Test("A version that does not look at imported proofs cannot use an import")
    func older() throws {
        let target = try PostgresImportTarget(location)
        _ = try target.begin(at: EmptyTarget.start)
        try target.finish()
        #expect(try count("SELECT usable_from FROM prelude_session") == 12)
        let older = Migrator(
            connection: try TestServer.connect(to: url), migrations: Migration.all.filter { $0.number < 12 })
        #expect(throws: StoreError.newerSchema(found: Migration.supported, supported: 11)) { try older.migrate() }
        // What a later step demands stays.
        try TestServer.connect(to: url).run([
            Statement("UPDATE prelude_session SET usable_from = 13"), Migration.needingCopiedProofs,
        ])
        #expect(try count("SELECT usable_from FROM prelude_session") == 13)
    }

    @Test("A later step does not let older versions use an import again")
    func laterStep() throws {
        let target = try PostgresImportTarget(location)
        _ = try target.begin(at: EmptyTarget.start)
        try target.finish()
        let number = Migration.supported + 1
        let later = Migration(number: number, name: "later", usableFrom: 10, statements: ["SELECT 1"])
        _ = try Migrator(connection: try TestServer.connect(to: url), migrations: Migration.all + [later]).migrate()
        #expect(try count("SELECT schema FROM prelude_session") == number)
        #expect(try count("SELECT usable_from FROM prelude_session") == 12)
    }
}
