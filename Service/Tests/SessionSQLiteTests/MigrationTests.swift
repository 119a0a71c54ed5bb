internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("The schema moves forward only")
struct MigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("Migrations are numbered from 1, without the numbers of steps that only PostgreSQL needs")
    func numbers() {
        #expect(Migration.all.map(\.number) == (1...Self.supported).filter { $0 != 10 })
    }

    @Test("A new database gets the newest schema, and opening it again changes nothing")
    func version() async throws {
        for _ in 0..<2 {
            let store = try SQLiteStore.open(.file(path))
            let version = try await store.database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
            #expect(version == Self.supported)
            try await store.close()
        }
    }

    @Test("A database of a newer version is rejected and stays as it is")
    func newer() async throws {
        try await SQLiteStore.open(.file(path)).close()
        let database = try DatabaseQueue(path: path)
        try await database.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        #expect(throws: StoreError.newerSchema(found: 99, supported: Self.supported)) {
            try SQLiteStore.open(.file(path))
        }
        #expect(try await database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 99)
    }

    private static let supported = Migration.all.last?.number ?? 0
    private static let previous = Migration.all.dropLast().last?.number ?? 0

    @Test(
        "A database that may not be migrated is rejected and stays as it is",
        arguments: [
            (OpenMode.creating, previous), (.existing, previous), (.existing, 0), (.creating, supported + 1),
            (.existing, supported + 1),
        ])
    func refusals(opening: OpenMode, version: Int) async throws {
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply(Migration.all.filter { $0.number <= version }, to: db)
            if version > Self.supported { try db.execute(sql: "PRAGMA user_version = \(version)") }
        }
        let refusal: StoreError =
            version > Self.supported
            ? .newerSchema(found: version, supported: Self.supported)
            : .olderSchema(found: version, supported: Self.supported)
        #expect(throws: refusal) { try SQLiteStore.open(.file(path), opening: opening) }
        #expect(try await database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == version)
    }

    @Test("A command that may not create a database creates none")
    func missing() {
        #expect(throws: StoreError.missing) { try SQLiteStore.open(.file(path), opening: .existing) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Opening reports the schema before and after", arguments: [OpenMode.migrating, .creating])
    func schema(opening: OpenMode) async throws {
        for found in [0, Self.supported] {
            let store = try SQLiteStore.open(.file(path), opening: opening)
            #expect(store.schema == (found, Self.supported))
            try await store.close()
        }
        let store = try SQLiteStore.open(.file(path), opening: .existing)
        #expect(store.schema == (Self.supported, Self.supported))
        try await store.close()
    }

    @Test("A database of another program is rejected and stays as it is")
    func foreign() async throws {
        let database = try DatabaseQueue(path: path)
        try await database.write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER)") }
        #expect(throws: StoreError.unavailable("the file is a database of another program")) {
            try SQLiteStore.open(.file(path))
        }
        let tables = try await database.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema") }
        #expect(tables == ["theirs"])
    }

    @Test("A file that is no database, and an impossible path, are rejected")
    func unusable() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try SQLiteStore.open(.file(path)) }
        #expect(throws: StoreError.self) { try SQLiteStore.open(.file(directory.path("missing/store.sqlite"))) }
    }

    @Test("A failing step leaves the database at the step before")
    func failingStep() throws {
        let steps = [
            Migration(number: 1, name: "test", sql: "CREATE TABLE one (id INTEGER)"),
            Migration(number: 2, name: "test", sql: "CREATE TABLE two (id INTEGER); CREATE TABLE one (id INTEGER)"),
        ]
        let database = try DatabaseQueue(path: path)
        #expect(throws: DatabaseError.self) {
            _ = try database.writeWithoutTransaction { try Migration.apply(steps, to: $0) }
        }
        let (version, tables) = try database.read { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA user_version"),
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema")
            )
        }
        #expect(version == 1)
        #expect(tables == ["one"])
    }

    @Test("Later steps are applied to the result of earlier ones")
    func laterStep() throws {
        let steps = [
            Migration(number: 1, name: "test", sql: "CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1)"),
            Migration(number: 2, name: "test", sql: "UPDATE one SET id = id + 1"),
        ]
        let database = try DatabaseQueue(path: path)
        _ = try database.writeWithoutTransaction { try Migration.apply([steps[0]], to: $0) }
        for _ in 0..<2 { _ = try database.writeWithoutTransaction { try Migration.apply(steps, to: $0) } }
        #expect(try database.read { try Int.fetchAll($0, sql: "SELECT id FROM one") } == [2])
    }

    @Test("Keys of the first schemas stay valid, including hook keys")
    func signingKeys() async throws {
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { try Migration.apply([.foundation, .stepUp], to: $0) }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO apps VALUES ('testapp', 1, '{}');
                    INSERT INTO signing_keys VALUES (7, 'testapp', 'access', 'a', 'ES256', x'00', 1000);
                    INSERT INTO signing_keys VALUES (8, 'testapp', 'challenge', 'c', 'EdDSA', x'01', 1000);
                    INSERT INTO hook_keys VALUES (7, 'testapp', 'h', x'02', 2000);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let id = try #require(AppID("testapp"))
        let keys = try await store.signingKeys(of: id)
        func key(
            _ id: String, _ purpose: StoredSigningKey.Purpose, _ algorithm: KeyAlgorithm, _ byte: UInt8,
            _ seconds: Int64
        ) throws -> StoredSigningKey {
            StoredSigningKey(
                appID: try #require(AppID("testapp")), purpose: purpose, keyID: id, algorithm: algorithm,
                sealedPrivateKey: Data([byte]), createdAt: Timestamp(seconds: seconds))
        }
        #expect(
            keys == [
                try key("h", .hook, .ps256, 2, 2), try key("c", .challenge, .edDSA, 1, 1),
                try key("a", .access, .es256, 0, 1),
            ])
        try await store.close()
    }

    @Test("Identifiers of an earlier schema are not held")
    func holds() async throws {
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { db in
            try Migration.apply([.foundation, .stepUp, .signingKeys], to: db)
        }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO users VALUES ('testapp', 'usr_1', 'active', NULL, '{}', NULL, 1000, 2000, 3000);
                    INSERT INTO identifiers VALUES ('testapp', 'phone_number', '+14155550100', '+14155550100', 'usr_1', 1);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let user = try await store.user("usr_1", app: try #require(AppID("testapp")))
        let phone = try CanonicalIdentifier(type: "phone_number", value: "+14155550100")
        #expect(
            user
                == User(
                    id: "usr_1", appID: try #require(AppID("testapp")), identifiers: [phone],
                    createdAt: Timestamp(seconds: 1), updatedAt: Timestamp(seconds: 2)))
        try await store.close()
    }

    @Test("A code of an earlier schema stays valid, and cannot be derived")
    func codes() async throws {
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction { try Migration.apply(Array(Migration.all.prefix(8)), to: $0) }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO verifications VALUES ('testapp', 'token', 'phone_number', '+14155550100', '+14155550100',
                        'lcfg', NULL, 0, 'hash', 601000, 1, 2, 1000, 1000);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let app = try #require(AppID("testapp"))
        let stored = try #require(try await store.verification(tokenHash: "token", app: app))
        #expect(stored.code == IssuedCode(hash: "hash", seed: nil, expiresAt: Timestamp(seconds: 601)))
        #expect(stored.previousCode == nil && stored.checks == 1 && stored.sends == 2)
        try await store.close()
    }

    // Proves: X13
    @Test("Stored copies of configured management keys are deleted; other keys keep their rights")
    func managementKeys() async throws {
        let database = try DatabaseQueue(path: path)
        _ = try await database.writeWithoutTransaction {
            try Migration.apply([.foundation, .stepUp, .signingKeys], to: $0)
        }
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO management_keys (id, hash, name, app_id, created_at) VALUES
                        ('mk_1', 'a', 'configured', NULL, 1000), ('mk_2', 'b', 'development', NULL, 1000),
                        ('mk_3', 'c', 'backend', NULL, 1000), ('mk_4', 'd', 'configured', 'testapp', 1000);
                    """)
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path))
        let (time, app) = (Timestamp(seconds: 1), try #require(AppID("testapp")))
        #expect(
            try await store.managementKeys() == [
                ManagementKey(id: "mk_3", name: "backend", appID: nil, hash: "c", role: .write, createdAt: time),
                ManagementKey(id: "mk_4", name: "configured", appID: app, hash: "d", role: .write, createdAt: time),
            ])
        try await store.close()
    }

    @Test("Every table is strict, and its frequent look-ups and deletions use an index")
    func plans() async throws {
        let store = try SQLiteStore.open(.memory)
        let (lax, scans) = try await store.database.read { db in
            let lax = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'
                    """)
            let queries = [
                "SELECT * FROM sessions WHERE app_id = 'a' AND user_id = 'u'",
                "SELECT * FROM sessions WHERE purge_hour <= 1",
                "SELECT key FROM proofs WHERE key >= 1 ORDER BY key LIMIT 1 OFFSET 1",
                "SELECT * FROM redeemed_challenges WHERE expires_at <= 1 ORDER BY expires_at, app_id, challenge_id",
                """
                SELECT * FROM deleted_redemptions
                WHERE app_id = 'a' AND kind = 'k' AND expiry_hour = 1 AND last_expiry >= 1
                """,
                "SELECT * FROM verifications WHERE code_expires_at <= 1",
                "SELECT * FROM verifications WHERE app_id = 'a' AND type = 't' AND canonical = 'c'",
                """
                SELECT * FROM messages WHERE app_id = 'a' AND type = 't' AND route = 0 AND status = 'pending'
                AND next_attempt_at <= 1 ORDER BY next_attempt_at LIMIT 1
                """,
                "SELECT * FROM messages WHERE app_id = 'a' AND id = 'i'",
                "SELECT * FROM messages WHERE status <> 'pending' AND expires_at <= 1",
                "SELECT * FROM counters WHERE resets_at <= 1",
                "SELECT * FROM identifiers WHERE app_id = 'a' AND user_id = 'u' ORDER BY position",
                "SELECT * FROM users WHERE app_id = 'a' AND external_id = 'e'",
                "SELECT * FROM signing_keys WHERE app_id = 'a' AND purpose = 'access'",
                "SELECT * FROM users WHERE app_id = 'a' ORDER BY created_at DESC, id DESC LIMIT 1",
            ]
            let scans = try queries.filter { query in
                let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + query)
                return plan.contains { row in
                    let detail: String = row["detail"]
                    return detail.hasPrefix("SCAN") || detail.contains("TEMP B-TREE")
                }
            }
            return (lax, scans)
        }
        #expect(lax == [])
        #expect(scans == [])
        try await store.close()
    }
}
