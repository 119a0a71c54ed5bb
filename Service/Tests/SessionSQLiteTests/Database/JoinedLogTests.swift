internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

@Suite("Commits that reach the log in one write")
struct JoinedLogTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func key(_ number: Int, length: Int) -> ManagementKey {
        ManagementKey(
            id: "mk_\(number)", name: String(repeating: "k", count: length), appID: nil, hash: "hash \(number)",
            createdAt: Timestamp(seconds: 1))
    }

    /// Reads the keys, and checks the whole file, with SQLite's own functions.
    private func keys(at path: String) throws -> [String] {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        try #require(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, "unix") == SQLITE_OK)
        func text(_ sql: String) throws -> String {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
            try #require(sqlite3_step(statement) == SQLITE_ROW)
            return String(cString: sqlite3_column_text(statement, 0))
        }
        return [try text("SELECT sum(length(name)) FROM management_keys"), try text("PRAGMA integrity_check")]
    }

    @Test("The writer of a service has the layer, and each commit is in the files before its response")
    func committed() async throws {
        let store = try SQLiteStore.open(.file(path))
        #expect(try await store.database.writeWithoutTransaction { JoinedLog.log(of: $0) != nil })
        var sum = 0
        // Commits of a few pages, and of more than wait for one write.
        for (number, length) in [10, 5000, 400_000, 1, 130_000, 20].enumerated() {
            _ = try await store.perform(InsertManagementKey(key(number, length: length)))
            sum += length
            // What a process that is killed now leaves.
            let copy = directory.path("copy-\(number).sqlite")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            let (copied, shared) = (try keys(at: copy), try keys(at: path))
            #expect(copied == ["\(sum)", "ok"])
            #expect(shared == ["\(sum)", "ok"])
        }
        try await store.close()
        let closed = try keys(at: path)
        #expect(closed == ["\(sum)", "ok"])
    }

    private func commits(_ db: Database) -> Bool {
        (try? JoinedLog.commit(db) { try db.execute(sql: "COMMIT") }) != nil
    }

    @Test("A commit that fails before it writes leaves nothing for the next one")
    func failed() throws {
        JoinedLog.prepare()
        let database = try DatabasePool(path: path, configuration: ConnectionSettings.configuration)
        try database.writeWithoutTransaction { db in
            try ConnectionSettings.makeDurable(db)
            try db.execute(
                sql: """
                    CREATE TABLE owners (id INTEGER PRIMARY KEY);
                    CREATE TABLE things (owner INTEGER REFERENCES owners DEFERRABLE INITIALLY DEFERRED);
                    BEGIN; INSERT INTO things VALUES (1)
                    """)
            #expect(!commits(db))
            try db.execute(sql: "INSERT INTO owners VALUES (1)")
            #expect(commits(db))
        }
        #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM things") } == 1)
    }
}
