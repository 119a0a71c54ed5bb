internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Copying and checking a database")
struct DatabaseCopyTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }
    private var copy: String { directory.path("copy.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("A copy of an open database has its commits, its schema, one file, and is readable by its owner only")
    func copying() async throws {
        let store = try SQLiteStore.open(.file(path))
        let app = App(id: try #require(AppID("copied1")), name: "a", createdAt: Timestamp(seconds: 1))
        _ = try await store.perform(CreateApp(app, keys: []))
        try DatabaseCopy.write(path, to: copy)
        // What is committed later is not in the copy, and does not disturb it.
        try await store.close()
        #expect(!DatabaseFile.exists(at: copy + "-wal"))
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try DatabaseCheck.run(at: copy) == SQLiteStore.supportedSchema)
        let restored = try SQLiteStore.open(.file(copy))
        #expect(try await restored.apps() == [app])
        try await restored.close()
    }

    /// Makes a database of many pages and overwrites one page of its b-trees.
    private func damage() async throws {
        let store = try SQLiteStore.open(.file(path))
        try await store.database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE filler (text);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                    INSERT INTO filler SELECT 'a row of some length, with the number ' || i FROM n
                    """)
        }
        try await store.close()
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let pages = Int(try handle.seekToEnd()) / 4096
        for page in stride(from: pages / 2, to: pages, by: 3) {
            try handle.seek(toOffset: UInt64(page * 4096))
            try handle.write(contentsOf: Data(repeating: 0xa5, count: 64))
        }
        try handle.close()
    }

    // Proves: B5
    @Test("The service does not open a damaged database, and its check finds the damage in a copy, too")
    func damaged() async throws {
        try await damage()
        for attempt in [{ _ = try SQLiteStore.open(.file(path)) }, { _ = try DatabaseCheck.run(at: path) }] {
            let error = #expect(throws: StoreError.self) { try attempt() }
            guard case .damaged = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
    }

    @Test("A file that is no database is reported as damaged")
    func noDatabase() throws {
        try Data(repeating: 0x2a, count: 8192).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) { try SQLiteStore.open(.file(path)) }
        guard case .damaged = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
}
