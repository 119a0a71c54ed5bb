internal import Foundation
internal import SessionDomain
internal import SessionSQLite
internal import SessionTokens
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("An export of one store and its import into another", .timeLimit(.minutes(1)))
struct StoreExportTests {
    private let url: String
    private let location: PostgresLocation

    init() throws {
        url = try TestServer.emptyDatabase()
        location = try PostgresLocation(url)
    }

    private func open(_ opening: OpenMode = .existing) async throws {
        try await PostgresStore.open(location, opening: opening).close()
    }

    private func number(_ sql: String) throws -> Int { try TestServer.connect(to: url).one(sql) }

    @Test("Every column of every table arrives, and comes back")
    func everything() async throws {
        let store = try FilledStore()
        let source = try SQLiteExportSource(store.path)
        for table in ExportedTable.all { #expect(try source.count(table) == 3, "\(table.name)") }
        try move(source, to: try PostgresImportTarget(location))
        #expect(try exported(try PostgresExportSource(location)) == exported(source))
        // The values themselves, not only what both sides say about them.
        let hashes: [String?] = try TestServer.connect(to: url).run([
            Statement("SELECT password_hash FROM users ORDER BY id")
        ])[0].all { try $0.next() }
        #expect(
            hashes == ["password_hash 1 ", "password_hash 2 "].map { $0 + "\u{8}\u{C}\n\r\t\u{B}\\N \\. 'é\u{1F600}" }
                + [nil])
        #expect(try number("SELECT count(*) FROM signing_keys WHERE sealed_private_key = '\\x0002ff'") == 1)
        try await open()

        let path = store.path + ".back"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try move(try PostgresExportSource(location), to: try SQLiteImportTarget(path))
        let back = try SQLiteExportSource(path)
        #expect(try exported(back) == exported(source))
        back.close()
        source.close()
        try FileManager.default.removeItem(atPath: path + ".lock")
    }

    @Test("Events that were imported come before all later ones, in their order")
    func order() async throws {
        let store = try FilledStore()
        try move(try SQLiteExportSource(store.path), to: try PostgresImportTarget(location))
        let postgres = try PostgresStore.open(location, opening: .existing)
        let imported = try await postgres.events(app: nil, after: 0, limit: 10)
        #expect(imported.map(\.sequence) == [1, 2, 3])
        #expect(imported.map(\.event.id) == ["id 1 é", "id 2 é", "id 3 é"])
        #expect(try await postgres.lastEventSequence() == 3)
        await postgres.close()
        let later = "SELECT \(WriteOrder.sequence("0")) > (SELECT max(sequence) FROM events)"
        #expect(try TestServer.connect(to: url).one(later) as Bool)
    }

    @Test("No service starts on an unfinished import", arguments: [OpenMode.migrating, .creating, .existing])
    func unfinished(opening: OpenMode) async throws {
        let target = try PostgresImportTarget(location)
        _ = try target.begin(at: EmptyTarget.start)
        await #expect(throws: StoreError.unfinishedImport) { try await open(opening) }
        #expect(throws: StoreError.unfinishedImport) { try PostgresExportSource(location) }
        try target.finish()
        try await open(opening)
    }

    @Test("A service that starts while an import begins waits, and does not start")
    func race() async throws {
        let holder = try PostgresConnection.forExport(location)
        try Migrator(connection: holder).createLedger()
        _ = try Migrator(connection: holder).beginAlone()
        let opening = Task { try await open(.migrating) }
        // The service waits for the lock of the schema version, and the import creates the tables meanwhile.
        let watcher = try TestServer.connect(to: url)
        let pid = try holder.pid
        for _ in 0..<10_000 where try !watcher.isBlocking(pid) { await Task.yield() }
        try holder.run(Migration.creation(nil) + [ImportMarker.creation, .commit])
        await #expect(throws: StoreError.unfinishedImport) { try await opening.value }
    }

    @Test("A batch and its place are one transaction, and another run continues there")
    func resumes() throws {
        let store = try FilledStore()
        let lines = try exported(try SQLiteExportSource(store.path))
        let target = try PostgresImportTarget(location)
        #expect(try target.begin(at: EmptyTarget.start) == EmptyTarget.start)
        let row: ExportedRow = ["id": "app0001", "settings": "{}", "created_at": .int(1)]
        let place = ImportPlace(lines: 2, sha256: "one")
        try target.append([row], to: apps, from: EmptyTarget.start, to: place)
        let last = ImportPlace(lines: 4, sha256: "two")
        let other: ExportedRow = ["id": "app0002", "settings": "{}", "created_at": .int(1)]
        let error = #expect(throws: ImportError.self) {
            try target.append([other, row], to: apps, from: place, to: last)
        }
        guard case .unstorable(index: 1, let reason) = error else { throw try #require(error) }
        #expect(reason.hasPrefix("PostgreSQL 23505: "))
        #expect(try PostgresImportTarget(location).begin(at: EmptyTarget.start) == place)
        #expect(try number("SELECT count(*) FROM apps") == 1)
        // These lines are not those of which the first one was written.
        #expect(throws: ImportError.otherFile) { try restore(lines, to: try PostgresImportTarget(location)) }
    }

    @Test("Two runs at the same time do not both write")
    func overtaken() throws {
        let targets = try (0..<2).map { _ in try PostgresImportTarget(location) }
        for target in targets { _ = try target.begin(at: EmptyTarget.start) }
        let row: ExportedRow = ["id": "app0001", "settings": "{}", "created_at": .int(1)]
        let place = ImportPlace(lines: 2, sha256: "one")
        try targets[0].append([row], to: apps, from: EmptyTarget.start, to: place)
        #expect(throws: ImportError.overtaken) {
            try targets[1].append([row], to: apps, from: EmptyTarget.start, to: place)
        }
    }

    private var apps: ExportedTable { ExportedTable.all[0] }

    @Test("A target that is not new is refused")
    func refusals() async throws {
        try await open(.migrating)
        #expect(throws: ImportError.notEmpty) { try PostgresImportTarget(location).begin(at: EmptyTarget.start) }
        let other = try PostgresLocation(try TestServer.emptyDatabase())
        _ = try PostgresImportTarget(other).begin(at: EmptyTarget.start)
        _ = try PostgresImportTarget(other).begin(at: EmptyTarget.start)
    }

    @Test(
        "A database with tables of something else is refused, and stays as it is",
        arguments: ["users", "copied_proofs", "settings_revision"])
    func foreign(table: String) async throws {
        try TestServer.connect(to: url).run([Statement("CREATE TABLE \(table) (id BIGINT)")])
        let error = #expect(throws: StoreError.self) { try PostgresImportTarget(location).begin(at: EmptyTarget.start) }
        #expect(error?.reason.hasPrefix("it has a table of another program: \(table). ") == true)
        await #expect(throws: StoreError.self) { try await open(.migrating) }
        #expect(throws: StoreError.self) { try PostgresStore.schema(of: location) }
        #expect(try number("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == 1)
    }

    @Test("An unfinished import is neither exported nor called a database without migrations")
    func unfinishedTarget() throws {
        _ = try PostgresImportTarget(location).begin(at: EmptyTarget.start)
        #expect(throws: StoreError.unfinishedImport) { try PostgresExportSource(location) }
        #expect(throws: StoreError.unfinishedImport) { try PostgresStore.schema(of: location) }
    }

    @Test(
        "A file that an old database has left beside the new one is no new database",
        arguments: ["-wal", "-shm", "-journal"])
    func leftovers(suffix: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID().uuidString).sqlite").path
        #expect(FileManager.default.createFile(atPath: path + suffix, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path + suffix) }
        #expect(throws: ImportError.notEmpty) { try SQLiteImportTarget(path).begin(at: EmptyTarget.start) }
    }

    @Test("Something that differs after the import is found")
    func differences() throws {
        let store = try FilledStore()
        let source = try SQLiteExportSource(store.path)
        let target = try PostgresImportTarget(location)
        let importer = DatabaseImport(into: target, schema: 1) { _ in }
        let imported = try importer.run(reader(of: try exported(source)))
        try TestServer.connect(to: url).run([
            Statement("UPDATE sessions SET generation = 2 WHERE generation = 1"),
            Statement("UPDATE events SET sequence = 9 WHERE sequence = 1"),
            Statement("DELETE FROM counters WHERE count = 1"),
        ])
        let different = try importer.compare(imported).filter { !$0.isEqual }.map(\.table)
        #expect(different == ["sessions", "counters", "events"])
    }

    @Test("An export of a database that services use has the rows of one moment")
    func snapshot() async throws {
        try await open(.migrating)
        let source = try PostgresExportSource(location)
        #expect(try !source.isInUse())
        #expect(try source.count(apps) == 0)
        try TestServer.connect(to: url).run([
            Statement("INSERT INTO apps (id, settings, created_at) VALUES ('later01', '{}', 1)")
        ])
        #expect(try source.count(apps) == 0)
        try source.read(apps) { _ in Issue.record("a later row") }
        #expect(try PostgresExportSource(location).count(apps) == 1)
    }

    @Test("A node that only waits for changed settings uses its database")
    func watched() async throws {
        try await open(.migrating)
        let watch = try PostgresServer(location: location).connect(for: PostgresStore.watchName)
        #expect(try PostgresExportSource(location).isInUse())
        withExtendedLifetime(watch) {}
    }
}

/// The lines of an export.
func exported(_ source: any ExportSource) throws -> [Data] {
    var bytes = Data()
    _ = try DatabaseExport(of: source, schema: 1) { _ in }.write { bytes += $0 }
    return bytes.split(separator: UInt8(ascii: "\n")).map { Data($0) }
}

func reader(of lines: [Data]) -> () throws -> Data? {
    var rest = lines[...]
    return { rest.popFirst() }
}

/// Imports lines, in small batches.
func restore(_ lines: [Data], to target: any ImportTarget) throws {
    let importer = DatabaseImport(into: target, schema: 1, batch: 2) { _ in }
    try importer.finish(after: try importer.compare(try importer.run(reader(of: lines))))
}

func move(_ source: any ExportSource, to target: any ImportTarget) throws {
    try restore(try exported(source), to: target)
}
