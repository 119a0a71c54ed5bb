internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

@Suite("Replacing a database")
struct DatabaseReplacementTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }
    private var kept: String { path + ".replaced-1" }

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a database in rollback mode with one note, as a backup has it.
    private func backup(_ note: String) async throws -> String {
        let path = directory.path("backup-\(note)")
        let database = try DatabaseQueue(path: path)
        try await database.write { db in
            try db.execute(sql: "CREATE TABLE notes (text); INSERT INTO notes VALUES ('\(note)')")
        }
        try database.close()
        return path
    }

    private func note(at path: String) throws -> String? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { db in
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            return try String.fetchOne(db, sql: "SELECT text FROM notes")
        }
    }

    private func files() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path))
    }

    /// Makes the files of a killed process: a database whose newest commits are only in the log.
    private func killedProcess(_ note: String) async throws {
        let live = directory.path("live")
        let database = try DatabasePool(path: live)
        try await database.write { db in
            try db.execute(sql: "CREATE TABLE notes (text); INSERT INTO notes VALUES ('\(note)')")
        }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: live + suffix, toPath: path + suffix)
        }
        try database.close()
        try FileManager.default.removeItem(atPath: live)
    }

    // Proves: B2
    @Test("The files of a killed process do not reach the new database, and the old one is kept with its last commits")
    func sideFiles() async throws {
        try await killedProcess("old")
        let new = try await backup("new")
        let replacement = try DatabaseReplacement(of: path)
        try replacement.replace(with: new, keeping: kept)
        replacement.release()
        #expect(try files() == ["session.sqlite", "session.sqlite.replaced-1", "session.sqlite.lock"])
        #expect(try note(at: path) == "new")
        #expect(try note(at: kept) == "old")
    }

    @Test("A damaged database is replaced, and kept with its log")
    func damaged() async throws {
        try await killedProcess("old")
        for suffix in ["", "-wal"] {
            try Data("not a database ".utf8 + Array(repeating: 0, count: 4096)).write(
                to: URL(fileURLWithPath: path + suffix))
        }
        let new = try await backup("new")
        let replacement = try DatabaseReplacement(of: path)
        try replacement.replace(with: new, keeping: kept)
        #expect(try note(at: path) == "new")
        #expect(FileManager.default.contents(atPath: kept)?.starts(with: Data("not a database".utf8)) == true)
        let left = try files()
        #expect(!left.contains("session.sqlite-wal") && !left.contains("session.sqlite-shm"))
    }

    // Proves: B2
    @Test("An error that is no damage stops the replacement, and the log stays with its database")
    func notDamaged() async throws {
        try await killedProcess("old")
        // SQLite then fails with CANTOPEN. It gives the same error to a process that may not read the file.
        try FileManager.default.moveItem(atPath: path + "-wal", toPath: directory.path("log"))
        try FileManager.default.createDirectory(atPath: path + "-wal", withIntermediateDirectories: false)
        let before = try files()
        #expect(throws: StoreError.self) { try DatabaseReplacement(of: path) }
        #expect(try files() == before.union(["session.sqlite.lock"]))
        try FileManager.default.removeItem(atPath: path + "-wal")
        try FileManager.default.moveItem(atPath: directory.path("log"), toPath: path + "-wal")
        #expect(try note(at: path) == "old")
    }

    // Proves: B2
    @Test(
        "A replacement that was killed before its rename is undone at the next start and restore",
        arguments: [true, false])
    func killed(starts: Bool) async throws {
        try await killedProcess("old")
        let unrelated = path + ".replaced-0"
        try Data("older".utf8).write(to: URL(fileURLWithPath: unrelated))
        // What a killed replacement leaves: the database has a second name, and its log is set aside.
        try DurableFile.link(path, as: kept)
        try DurableFile.move(path + "-wal", to: kept + "-wal")
        try FileManager.default.removeItem(atPath: path + "-shm")
        if starts {
            // The store rejects the notes of this test, after it has taken the lock.
            let store = try? SQLiteStore.open(.file(path), opening: .existing)
            try await store?.close()
        } else {
            try DatabaseReplacement(of: path).release()
        }
        let left = try files()
        #expect(!left.contains("session.sqlite.replaced-1") && !left.contains("session.sqlite.replaced-1-wal"))
        #expect(DatabaseFile.exists(at: unrelated))
        #expect(try note(at: path) == "old")
    }

    @Test("A copy is readable by its owner only, whatever the mode of the original, and replaces no file")
    func copy() throws {
        let (original, copy) = (directory.path("original"), directory.path("copy"))
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        try content.write(to: URL(fileURLWithPath: original))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: original)
        try DurableFile.copy(original, to: copy)
        #expect(FileManager.default.contents(atPath: copy) == content)
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: StoreError.self) { try DurableFile.copy(original, to: copy) }
    }

    @Test("A missing database is created")
    func missing() async throws {
        let new = try await backup("new")
        let replacement = try DatabaseReplacement(of: path)
        try replacement.replace(with: new, keeping: kept)
        #expect(try note(at: path) == "new")
        #expect(!DatabaseFile.exists(at: kept))
    }

    // Proves: B2
    @Test("A database that is open cannot be replaced, and one that is replaced cannot be opened")
    func locks() async throws {
        let store = try SQLiteStore.open(.file(path))
        let second = try SQLiteStore.open(.file(path), opening: .existing)
        #expect(throws: StoreError.inUse) { try DatabaseReplacement(of: path) }
        try await store.close()
        #expect(throws: StoreError.inUse) { try DatabaseReplacement(of: path) }
        try await second.close()
        let replacement = try DatabaseReplacement(of: path)
        for opening in [OpenMode.existing, .creating, .migrating] {
            #expect(throws: StoreError.inUse) { try SQLiteStore.open(.file(path), opening: opening) }
        }
        replacement.release()
        try await SQLiteStore.open(.file(path)).close()
    }

    @Test("A symbolic link to a database is the same database")
    func symbolicLink() async throws {
        let link = directory.path("link.sqlite")
        let store = try SQLiteStore.open(.file(path))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: StoreError.inUse) { try DatabaseReplacement(of: link) }
        try await store.close()
        let replacement = try DatabaseReplacement(of: link)
        #expect(try replacement.path == DatabaseFile.resolved(path))
    }
}
