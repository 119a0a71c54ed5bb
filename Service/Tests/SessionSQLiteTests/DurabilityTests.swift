internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Answered writes are durable")
struct DurabilityTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("Every connection has the durable and defensive settings", arguments: [true, false])
    func settings(isWriter: Bool) async throws {
        let store = try SQLiteStore.open(.file(path))
        let expected = [
            "journal_mode": "wal", "synchronous": "2", "fullfsync": "1", "checkpoint_fullfsync": "1",
            "journal_size_limit": "67108864", "foreign_keys": "1", "trusted_schema": "0",
            "busy_timeout": isWriter ? "5000" : "10000",
            // The writer has copies of pages in memory, and readers the default.
            "temp_store": isWriter ? "2" : "0", "cache_size": "-16384",
        ]
        let pragmas = Array(expected.keys)
        let read: @Sendable (Database) throws -> [String: String] = { db in
            var values: [String: String] = [:]
            for pragma in pragmas { values[pragma] = try String.fetchOne(db, sql: "PRAGMA \(pragma)") }
            return values
        }
        let found =
            try await isWriter ? store.database.writeWithoutTransaction(read) : store.database.read(read)
        #expect(found == expected)
        try await store.close()
    }

    @Test("The writer keeps more pages of a larger file, within bounds")
    func cache() {
        let sizes: [Int64] = [0, 512 << 20, 1 << 30, 8 << 30, 1 << 40]
        let mebibytes = sizes.map { ConnectionSettings.cacheKibibytes(fileBytes: $0) / 1024 }
        #expect(mebibytes == [16, 16, 32, 256, 256])
    }

    @Test("A writer has the cache for its file")
    func cacheOfTheWriter() async throws {
        let store = try SQLiteStore.open(.file(path))
        let found = try await store.database.writeWithoutTransaction { db in
            try ConnectionSettings.keepInnerPages(db, fileBytes: 1 << 30)
            return try Int.fetchOne(db, sql: "PRAGMA cache_size")
        }
        #expect(found == -32_768)
        try await store.close()
    }

    @Test("A service whose database a newer version has migrated is not healthy, and says why")
    func newerSchema() async throws {
        let store = try SQLiteStore.open(.file(path))
        let key = ManagementKey(id: "mk_1", name: "k", appID: nil, hash: "h", createdAt: Timestamp(seconds: 1))
        _ = try await store.perform(InsertManagementKey(key))
        // Another error of one job says nothing about the others.
        let newer = SQLiteStore.supportedSchema + 1
        let other = try DatabaseQueue(path: path, configuration: ConnectionSettings.configuration)
        try await other.write { try $0.execute(sql: "ALTER TABLE management_keys RENAME TO keys") }
        await #expect(throws: StoreError.self) { _ = try await store.perform(InsertManagementKey(key)) }
        #expect(!store.health.isFailing)
        try await other.write { try $0.execute(sql: "PRAGMA user_version = \(newer)") }
        try await store.checkWriting()
        let refusal = StoreError.newerSchema(found: newer, supported: SQLiteStore.supportedSchema)
        await #expect(throws: refusal) { _ = try await store.perform(InsertManagementKey(key)) }
        #expect(store.health.isFailing)
        // What does not need the table would still work.
        await #expect(throws: refusal) { try await store.checkWriting() }
        #expect(store.health.isFailing)
        try other.close()
        try await store.close()
    }

    @Test("A database that can only be read is not healthy, although an empty transaction works")
    func readOnly() async throws {
        let store = try SQLiteStore.open(.file(path))
        try await store.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = ON") }
        await #expect(throws: StoreError.self) { try await store.checkWriting() }
        #expect(store.health.isFailing)
        try await store.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = OFF") }
        try await store.checkWriting()
        #expect(!store.health.isFailing)
        try await store.close()
    }

    @Test("The error of a full disk names the file and the reason", .enabled(if: DatabaseFile.exists(at: "/dev/full")))
    func fullDisk() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let error = #expect(throws: StoreError.self) { try DurableFile.write(Data(count: 1), to: full, "the file") }
        #expect(error?.reason == "cannot write the file: No space left on device")
    }

    @Test("Only the owner can read the files of a new database")
    func fileMode() async throws {
        let store = try SQLiteStore.open(.file(path))
        _ = try await store.perform(CreateApp(try someApp(), keys: []))
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        try await store.close()
    }

    @Test("Everything is stored after closing and opening again")
    func reopening() async throws {
        let store = try SQLiteStore.open(.file(path))
        let record = try await write(40, to: store)
        try await store.close()
        try await expect(record, in: try SQLiteStore.open(.file(path)))
    }

    @Test("After closing, the database file alone contains everything")
    func foldedIn() async throws {
        let store = try SQLiteStore.open(.file(path))
        let record = try await write(40, to: store)
        // A read-only connection is the last one to close.
        _ = try await store.apps()
        try await store.close()
        let copy = directory.path("alone.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try await expect(record, in: try SQLiteStore.open(.file(copy)))
    }

    @Test("A copy of the files of a running database contains every answered write")
    func crash() async throws {
        let store = try SQLiteStore.open(.file(path))
        let record = try await write(40, to: store)
        // The files of a killed process: no close and no checkpoint.
        let copy = directory.path("copy.sqlite")
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        try await expect(record, in: try SQLiteStore.open(.file(copy)))
        try await store.close()
    }

    @Test("A closed store rejects calls, and closing twice is no error")
    func closing() async throws {
        let store = try SQLiteStore.open(.file(path))
        try await store.close()
        try await store.close()
        let app = try someApp()
        await #expect(throws: StoreError.self) { try await store.perform(CreateApp(app, keys: [])) }
        await #expect(throws: StoreError.self) { try await store.apps() }
    }

    @Test("Another process may write to the same file")
    func secondProcess() async throws {
        let (service, command) = (try SQLiteStore.open(.file(path)), try SQLiteStore.open(.file(path)))
        let app = try someApp()
        #expect(try await command.perform(CreateApp(app, keys: [])))
        #expect(try await service.perform(CreateApp(app, keys: [])) == false)
        #expect(try await service.app(app.id) == app)
        for store in [service, command] { try await store.close() }
    }

    private func someApp() throws -> App {
        App(id: try #require(AppID("durable")), name: "a", createdAt: Timestamp(seconds: 1))
    }

    /// Writes concurrently and returns what was confirmed.
    private func write(_ count: Int, to store: SQLiteStore) async throws -> [ManagementKey] {
        try await withThrowingTaskGroup(of: ManagementKey.self) { group in
            for index in 0..<count {
                group.addTask {
                    let key = ManagementKey(
                        id: "mk_\(index)", name: "k", appID: nil, hash: "hash \(index)",
                        createdAt: Timestamp(seconds: Int64(index)))
                    _ = try await store.perform(InsertManagementKey(key))
                    return key
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.createdAt < $1.createdAt }
        }
    }

    private func expect(_ keys: [ManagementKey], in store: SQLiteStore) async throws {
        #expect(try await store.managementKeys() == keys)
        let check = try await store.database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(check == "ok")
        try await store.close()
    }
}
