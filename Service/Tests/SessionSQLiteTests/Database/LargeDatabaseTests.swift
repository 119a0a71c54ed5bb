internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

@Suite("The check of a large database")
struct LargeDatabaseTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a database with one app, and overwrites pages in the middle if it is damaged.
    private func makeDatabase(isDamaged: Bool) async throws {
        let store = try SQLiteStore.open(.file(path))
        for number in 0..<400 {
            let id = try #require(AppID("a\(100_000 + number)"))
            let app = App(id: id, name: String(repeating: "a", count: 200), createdAt: Timestamp(seconds: 1))
            #expect(try await store.perform(CreateApp(app, keys: [])))
        }
        try await store.close()
        guard isDamaged else { return }
        var content = try Data(contentsOf: URL(fileURLWithPath: path))
        for page in stride(from: content.count / 8192 * 4096, to: content.count, by: 4096) {
            content.replaceSubrange(page..<page + 64, with: repeatElement(0xA5, count: 64))
        }
        try content.write(to: URL(fileURLWithPath: path))
    }

    // Proves: B5
    @Test("A file up to the limit is checked when it is opened, so a damaged one is never served")
    func small() async throws {
        try await makeDatabase(isDamaged: true)
        #expect {
            try SQLiteStore.open(.file(path))
        } throws: { error in
            if case .damaged = error as? StoreError { true } else { false }
        }
    }

    // Proves: B5
    @Test("A larger one is opened at once, and the check finds the damage afterwards")
    func large() async throws {
        try await makeDatabase(isDamaged: true)
        let store = try SQLiteStore.open(.file(path), checkedBytes: 0)
        #expect(store.isUnchecked)
        await #expect {
            try await store.checkStructure()
        } throws: { error in
            if case .damaged = error as? StoreError { true } else { false }
        }
        try await store.close()
    }

    @Test("The check of an intact one finds nothing, and a cancelled one ends")
    func intact() async throws {
        try await makeDatabase(isDamaged: false)
        let store = try SQLiteStore.open(.file(path), checkedBytes: 0)
        try await store.checkStructure()
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.checkStructure()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await store.close()
    }

    @Test("A file of an older version is checked before it is migrated, however large it is")
    func migration() async throws {
        let database = try DatabaseQueue(path: path)
        let version = try await database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            return try Migration.apply(Array(Migration.all.dropLast()), to: db).now
        }
        try database.close()
        let store = try SQLiteStore.open(.file(path), checkedBytes: 0)
        #expect(!store.isUnchecked && store.schema.found == version)
        try await store.close()
    }

    @Test("Commands that do not migrate check nothing")
    func existing() async throws {
        try await makeDatabase(isDamaged: false)
        let store = try SQLiteStore.open(.file(path), opening: .existing, checkedBytes: 0)
        #expect(!store.isUnchecked)
        try await store.close()
    }
}
