internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Reading what a configuration must fit")
struct DatabaseSummaryTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("The apps are read while a store has the database open, and nothing is created without a database")
    func apps() async throws {
        #expect(try DatabaseSummary.read(at: path) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
        let store = try SQLiteStore.open(.file(path))
        let empty = DatabaseSummary(schema: SQLiteStore.supportedSchema, apps: [], sealingKeyIDs: [])
        #expect(try DatabaseSummary.read(at: path) == empty)
        let id = try #require(AppID("abc1234"))
        let app = App(id: id, name: "a", createdAt: Timestamp(seconds: 1))
        #expect(try await store.perform(CreateApp(app, keys: [])))
        #expect(try DatabaseSummary.read(at: path)?.apps == [id])
        try await store.close()
        #expect(try DatabaseSummary.read(at: path)?.apps == [id])
    }

    @Test("An empty file is a new database only if no file beside it shows that it was in use")
    func emptyFile() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try DatabaseSummary.read(at: path) == nil)
        try Data().write(to: URL(fileURLWithPath: path + ".lock"))
        #expect {
            try DatabaseSummary.read(at: path)
        } throws: { error in
            if case .damaged(let finding) = error as? StoreError {
                finding.contains("session.sqlite.lock beside it")
            } else {
                false
            }
        }
    }

    @Test("The master key that sealed a secret of delivery is found")
    func secrets() async throws {
        let store = try SQLiteStore.open(.file(path))
        var app = App(id: try #require(AppID("abc1234")), name: "a", createdAt: Timestamp(seconds: 1))
        var delivery = DeliveryConfig(at: app.createdAt)
        let sealed = Data("mailkey1 sealed".utf8).base64EncodedString()
        delivery.email = [.init(settings: RouteSettings(kind: .smtp), sealedSecret: sealed)]
        app.delivery = delivery
        #expect(try await store.perform(CreateApp(app, keys: [])))
        #expect(try DatabaseSummary.read(at: path)?.sealingKeyIDs == ["mailkey1"])
        try await store.close()
    }

    @Test("A database of any earlier schema is read, so that a start that would fail migrates nothing")
    func earlierSchemas() async throws {
        let id = try #require(AppID("abc1234"))
        let settings = try StoredJSON.text(App(id: id, name: "a", createdAt: Timestamp(seconds: 1)))
        for version in Migration.all.map(\.number) where version < SQLiteStore.supportedSchema {
            let path = directory.path("\(version).sqlite")
            let database = try DatabaseQueue(path: path)
            _ = try await database.writeWithoutTransaction { db in
                try Migration.apply(Array(Migration.all.prefix(1)), to: db)
                try db.execute(
                    sql: "INSERT INTO apps (id, created_at, settings) VALUES ('abc1234', 1000, ?)",
                    arguments: [settings])
                try db.execute(
                    sql: """
                        INSERT INTO signing_keys (app_id, purpose, key_id, algorithm, sealed_private_key, created_at)
                        VALUES ('abc1234', 'access', 'k', 'ES256', CAST('masterk1 sealed' AS BLOB), 1000)
                        """)
                return try Migration.apply(Migration.all.filter { $0.number <= version }, to: db)
            }
            try database.close()
            let summary = try DatabaseSummary.read(at: path)
            #expect(summary?.schema == version)
            #expect(summary?.apps == [id], "schema \(version)")
            #expect(summary?.sealingKeyIDs == ["masterk1"], "schema \(version)")
        }
    }

    @Test("A file that is no database is an error, and an empty one has no summary")
    func others() throws {
        try Data("not a database, but long enough to be taken for one".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try DatabaseSummary.read(at: path) }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try DatabaseSummary.read(at: path) == nil)
    }
}
