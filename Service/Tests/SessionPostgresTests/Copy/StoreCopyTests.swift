internal import Foundation
internal import SessionDomain
internal import SessionSQLite
internal import Testing

@testable import SessionPostgres

@Suite("A copy between an embedded database and PostgreSQL", .timeLimit(.minutes(1)))
struct StoreCopyTests {
    private let url: String
    private let location: PostgresLocation

    init() throws {
        url = try TestServer.emptyDatabase()
        location = try PostgresLocation(url)
    }

    private func copy(_ source: any CopySource, to target: any CopyTarget, identity: String? = "one") throws {
        let copier = DatabaseCopier(from: source, to: target) { _ in }
        _ = try copier.copy(identity)
        try copier.finish(after: try copier.compare())
    }

    private func open(_ opening: Opening = .existing) async throws {
        try await PostgresStore.open(location, opening: opening).close()
    }

    private func number(_ sql: String) throws -> Int { try TestServer.connect(to: url).one(sql) }

    /// All rows in the form of a copy, by table.
    private func content(_ source: any CopySource) throws -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for table in CopiedTable.all {
            try source.read(table, skipping: 0) { content[table.name, default: []] += $0.bytes }
        }
        return content
    }

    @Test("Every column of every table arrives, and comes back")
    func everything() async throws {
        let store = try FilledStore()
        let source = try SQLiteCopySource(store.path)
        for table in CopiedTable.all { #expect(try source.count(table) == 3, "\(table.name)") }
        try copy(source, to: try PostgresCopyTarget(location))
        #expect(try content(try PostgresCopySource(location)) == content(source))
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
        try copy(try PostgresCopySource(location), to: try SQLiteCopyTarget(path), identity: nil)
        let back = try SQLiteCopySource(path)
        #expect(try content(back) == content(source))
        back.close()
        source.close()
        try FileManager.default.removeItem(atPath: path + ".lock")
    }

    @Test("Events that were copied come before all later ones, in their order")
    func order() async throws {
        let store = try FilledStore()
        try copy(try SQLiteCopySource(store.path), to: try PostgresCopyTarget(location))
        let postgres = try PostgresStore.open(location, opening: .existing)
        let copied = try await postgres.events(app: nil, after: 0, limit: 10)
        #expect(copied.map(\.sequence) == [1, 2, 3])
        #expect(copied.map(\.event.id) == ["id 1 é", "id 2 é", "id 3 é"])
        #expect(try await postgres.lastEventSequence() == 3)
        await postgres.close()
        let later = "SELECT \(WriteOrder.sequence("0")) > (SELECT max(sequence) FROM events)"
        #expect(try TestServer.connect(to: url).one(later) as Bool)
    }

    @Test("No service starts on an unfinished copy", arguments: [Opening.migrating, .creating, .existing])
    func unfinished(opening: Opening) async throws {
        let target = try PostgresCopyTarget(location)
        _ = try target.begin(from: "one")
        await #expect(throws: StoreError.unfinishedCopy) { try await open(opening) }
        #expect(throws: StoreError.unfinishedCopy) { try PostgresCopySource(location) }
        try target.finish()
        try await open(opening)
    }

    @Test("A service that starts while a copy begins waits, and does not start")
    func race() async throws {
        let holder = try PostgresConnection.forCopying(location)
        try Migrator(connection: holder).createLedger()
        _ = try Migrator(connection: holder).beginAlone()
        let opening = Task { try await open(.migrating) }
        // The service waits for the lock of the schema version, and the copy creates the tables meanwhile.
        let watcher = try TestServer.connect(to: url)
        let pid = try holder.pid
        for _ in 0..<10_000 where try !watcher.isBlocking(pid) { await Task.yield() }
        try holder.run(Migration.creation(nil) + [CopyMarker.creation, .commit])
        await #expect(throws: StoreError.unfinishedCopy) { try await opening.value }
    }

    @Test("A batch and its place are one transaction, and another run continues there")
    func resumes() throws {
        let store = try FilledStore()
        let source = try SQLiteCopySource(store.path)
        let target = try PostgresCopyTarget(location)
        #expect(try target.begin(from: "one") == .start)
        try source.read(CopiedTable.all[0], skipping: 0) { try target.append($0, to: CopiedTable.all[0], from: .start) }
        // These rows exist already, so the second transaction fails as a whole.
        let place = CopyPlace(table: "apps", rows: 3)
        try source.read(CopiedTable.all[0], skipping: 0) { lines in
            #expect(throws: StoreError.self) { try target.append(lines, to: CopiedTable.all[0], from: place) }
        }
        #expect(try PostgresCopyTarget(location).begin(from: "one") == place)
        try copy(source, to: try PostgresCopyTarget(location))
        #expect(try number("SELECT count(*) FROM apps") == 3)
    }

    @Test("Two runs at the same time do not both write")
    func overtaken() throws {
        let store = try FilledStore()
        let source = try SQLiteCopySource(store.path)
        let targets = try (0..<2).map { _ in try PostgresCopyTarget(location) }
        for target in targets { _ = try target.begin(from: "one") }
        try source.read(CopiedTable.all[0], skipping: 0) { lines in
            try targets[0].append(lines, to: CopiedTable.all[0], from: .start)
            #expect(throws: CopyError.overtaken) { try targets[1].append(lines, to: CopiedTable.all[0], from: .start) }
        }
    }

    @Test("A target that is not new, or has a copy of something else, is refused")
    func refusals() async throws {
        try await open(.migrating)
        #expect(throws: CopyError.notEmpty) { try PostgresCopyTarget(location).begin(from: "one") }
        let other = try PostgresLocation(try TestServer.emptyDatabase())
        _ = try PostgresCopyTarget(other).begin(from: "one")
        #expect(throws: CopyError.otherSource) { try PostgresCopyTarget(other).begin(from: "two") }
        _ = try PostgresCopyTarget(other).begin(from: "one")
    }

    @Test(
        "A database with tables of something else is refused, and stays as it is",
        arguments: ["users", "copied_proofs", "settings_revision"])
    func foreign(table: String) async throws {
        try TestServer.connect(to: url).run([Statement("CREATE TABLE \(table) (id BIGINT)")])
        let error = #expect(throws: StoreError.self) { try PostgresCopyTarget(location).begin(from: "one") }
        #expect(error?.reason.hasPrefix("it has a table of another program: \(table). ") == true)
        await #expect(throws: StoreError.self) { try await open(.migrating) }
        #expect(throws: StoreError.self) { try PostgresStore.schema(of: location) }
        #expect(try number("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == 1)
    }

    @Test("An unfinished copy is neither compared nor called a database without migrations")
    func unfinishedTarget() throws {
        _ = try PostgresCopyTarget(location).begin(from: "one")
        #expect(throws: StoreError.unfinishedCopy) { try PostgresCopyTarget(location).checkSchema() }
        #expect(throws: StoreError.unfinishedCopy) { try PostgresStore.schema(of: location) }
    }

    @Test("A row that cannot be stored is reported with its table")
    func unstorable() throws {
        let target = try PostgresCopyTarget(location)
        let place = try target.begin(from: "one")
        var lines = CopyLines()
        lines.append(text: "app\u{0}001".utf8)
        lines.append(text: "{}".utf8)
        lines.append(integer: 1)
        lines.endRow()
        let error = #expect(throws: StoreError.self) { try target.append(lines, to: CopiedTable.all[0], from: place) }
        #expect(error?.reason.hasPrefix("a row of apps cannot be stored: PostgreSQL 22021: ") == true)
    }

    @Test(
        "A file that an old database has left beside the new one is no new database",
        arguments: ["-wal", "-shm", "-journal"])
    func leftovers(suffix: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID().uuidString).sqlite").path
        #expect(FileManager.default.createFile(atPath: path + suffix, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path + suffix) }
        #expect(throws: CopyError.notEmpty) { try SQLiteCopyTarget(path).begin(from: nil) }
    }

    @Test("Something that differs after the copy is found")
    func differences() throws {
        let store = try FilledStore()
        let source = try SQLiteCopySource(store.path)
        let target = try PostgresCopyTarget(location)
        let copier = DatabaseCopier(from: source, to: target) { _ in }
        _ = try copier.copy("one")
        try TestServer.connect(to: url).run([
            Statement("UPDATE sessions SET generation = 2 WHERE generation = 1"),
            Statement("UPDATE events SET sequence = 9 WHERE sequence = 1"),
            Statement("DELETE FROM counters WHERE count = 1"),
        ])
        let different = try copier.compare().filter { !$0.isEqual }.map(\.table)
        #expect(different == ["sessions", "counters", "events"])
    }

    @Test("A database that a service uses is not copied to a file")
    func served() async throws {
        let store = try PostgresStore.open(location, opening: .migrating)
        _ = try await store.apps()
        #expect(throws: CopyError.self) { try PostgresCopySource(location) }
        await store.close()
    }

    @Test("A node that only waits for changed settings uses its database")
    func watched() async throws {
        try await open(.migrating)
        let watch = try PostgresServer(location: location).connect(for: PostgresStore.watchName)
        #expect(throws: CopyError.served(1)) { try PostgresCopySource(location) }
        withExtendedLifetime(watch) {}
    }
}
