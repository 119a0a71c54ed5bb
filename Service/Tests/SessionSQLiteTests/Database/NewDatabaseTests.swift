internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

@Suite("New and emptied databases")
struct NewDatabaseTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ name: String, _ content: String = "") throws {
        try Data(content.utf8).write(to: directory.url.appending(path: name))
    }

    private func size() throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    // Proves: B4
    @Test("A file that became empty is damage, and not a new database", arguments: [".lock", "-wal", ".keys"])
    func emptied(trace: String) throws {
        try write("session.sqlite")
        try write("session.sqlite" + trace, "x")
        for opening in [OpenMode.existing, .creating, .migrating] {
            #expect {
                try SQLiteStore.open(.file(path), opening: opening)
            } throws: { error in
                guard case StoreError.damaged(let finding) = error else { return false }
                return finding.contains("session.sqlite\(trace)")
            }
        }
        #expect(try size() == 0)
    }

    @Test("A database that was in use and became empty is damage")
    func used() async throws {
        try await SQLiteStore.open(.file(path)).close()
        try write("session.sqlite")
        #expect(throws: StoreError.self) { try SQLiteStore.open(.file(path)) }
    }

    @Test("A database that was in use and is missing is not replaced by a new one, unless its files are deleted, too")
    func missing() async throws {
        try await SQLiteStore.open(.file(path)).close()
        try FileManager.default.removeItem(atPath: path)
        try write("session.sqlite-wal", "x")
        for opening in [OpenMode.creating, .migrating] {
            #expect {
                try SQLiteStore.open(.file(path), opening: opening)
            } throws: { error in
                guard case StoreError.unavailable(let reason) = error else { return false }
                return reason.hasSuffix("delete session.sqlite.lock and session.sqlite-wal")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        for suffix in [".lock", "-wal"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try await SQLiteStore.open(.file(path)).close()
    }

    @Test("Master keys may be put beside a database before it exists")
    func keysFirst() async throws {
        try write("session.sqlite.keys", "x")
        try await SQLiteStore.open(.file(path)).close()
    }

    @Test("An empty file that was created for its owner and mode becomes a database; reading it leaves no trace")
    func prepared() async throws {
        try write("session.sqlite")
        let missing = StoreError.olderSchema(found: 0, supported: SQLiteStore.supportedSchema)
        #expect(throws: missing) { try SQLiteStore.open(.file(path), opening: .existing) }
        let store = try SQLiteStore.open(.file(path))
        #expect(store.schema.found == 0)
        try await store.close()
    }

    // Proves: B4
    @Test(
        "A new file has a page before it has its name, so a start that was killed continues", arguments: [true, false])
    func killed(hasKeys: Bool) async throws {
        if hasKeys { try write("session.sqlite.keys") }
        try NewDatabase.prepare(at: path, opening: .creating)
        #expect(try size() > 0)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(before.count == (hasKeys ? 2 : 1), "no other file is left: \(before)")
        try DatabaseLock(path, .shared).release()
        try await SQLiteStore.open(.file(path)).close()
    }

    @Test("A database that another process creates meanwhile keeps its tables")
    func concurrent() async throws {
        try await SQLiteStore.open(.file(path)).close()
        for opening in [OpenMode.existing, .creating, .migrating] {
            try NewDatabase.prepare(at: path, opening: opening)
        }
        let store = try SQLiteStore.open(.file(path), opening: .existing)
        #expect(store.schema.found == SQLiteStore.supportedSchema)
        try await store.close()
    }
}
