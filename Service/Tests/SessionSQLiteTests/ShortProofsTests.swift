internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite
@testable internal import SessionStoreContract

@Suite("Used proofs with short keys")
struct ShortProofsTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("Proofs of an earlier schema stay used in their app until they expire")
    func proofs() async throws {
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number < 12 }, to: db)
        }
        try await database.write { db in
            let (one, two) = (ContractWorld.replayKey("one"), ContractWorld.replayKey("two"))
            try db.execute(
                sql: """
                    INSERT INTO proofs VALUES ('testapp', '\(one)', 60000), ('testapp', '\(two)', 50000),
                        ('other01', '\(one)', 9000);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let (app, other) = (try #require(AppID("testapp")), try #require(AppID("other01")))
        func use(_ name: String, _ app: AppID, at seconds: Int64) async throws -> Bool {
            let now = Timestamp(seconds: seconds)
            let proof = ProofUse(
                thumbprint: "key", replayKey: ContractWorld.replayKey(name), rememberUntil: now + 60, nonce: nil,
                windowStart: now,
                isFresh: true, issuedAt: now)
            return try await store.perform(ReserveProof(proof, app: app, now: now))
        }
        #expect(try await use("one", app, at: 49) == false)
        #expect(try await use("two", app, at: 49) == false)
        #expect(try await use("two", app, at: 50))
        #expect(try await use("two", app, at: 50) == false)
        #expect(try await use("one", other, at: 8) == false)
        #expect(try await use("two", other, at: 8))
        let count = try await store.database.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM proofs")
        }
        #expect(count == 4)
        try await store.close()
    }

    @Test("The migration computes the short key of this program, and keeps the later expiry of two equal ones")
    func keys() async throws {
        let names = (0..<100).map { ContractWorld.replayKey("\($0)") }
        let twin = String(names[0].prefix(11)) + String(repeating: "A", count: 32)
        let database = try DatabaseQueue(path: path)
        let found = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number < 12 }, to: db)
            for name in names + [twin] {
                try db.execute(
                    sql: "INSERT INTO proofs VALUES ('testapp', ?, ?)", arguments: [name, name == twin ? 2000 : 1000])
            }
            try Migration.apply(to: db)
            return try Row.fetchAll(db, sql: "SELECT key, expires_at FROM proofs").map { row in
                [row["key"] as Int64, row["expires_at"] as Int64]
            }
        }
        let expected = names.map { [ProofUse.shortKey(of: $0), $0 == names[0] ? 2000 : 1000] }
        #expect(Set(found) == Set(expected))
        #expect(found.count == names.count)
    }
}
