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
            try db.execute(
                sql: """
                    INSERT INTO proofs VALUES ('testapp', 'one', 60000), ('testapp', 'two', 50000), ('other01', 'one', 9000);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let (app, other) = (try #require(AppID("testapp")), try #require(AppID("other01")))
        func use(_ name: String, _ app: AppID, at seconds: Int64) async throws -> Bool {
            let now = Timestamp(seconds: seconds)
            let proof = ProofUse(
                thumbprint: "key", replayKey: name, rememberUntil: now + 60, nonce: nil, windowStart: now,
                isFresh: true, issuedAt: now)
            return try await store.perform(ReserveProof(proof, app: app, now: now))
        }
        #expect(try await use("one", app, at: 49) == false)
        #expect(try await use("two", app, at: 49) == false)
        #expect(try await use("two", app, at: 50))
        #expect(try await use("two", app, at: 50) == false)
        #expect(try await use("one", other, at: 8) == false)
        #expect(try await use("two", other, at: 8))
        let (count, functions) = try await store.database.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM proofs"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM pragma_function_list WHERE name = 'short_key'")
            )
        }
        #expect(count == 4 && functions == 0)
        try await store.close()
    }
}
