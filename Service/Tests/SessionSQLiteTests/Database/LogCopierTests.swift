internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Copies of the log into the database, beside the writer")
struct LogCopierTests {
    private static let length = 12

    private let directory: TemporaryDirectory
    private let store: SQLiteStore
    private let copier: LogCopier
    private let files: OpenFiles
    private var path: String { directory.path("store.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        store = try SQLiteStore.open(.file(directory.path("store.sqlite")), logLength: Self.length)
        (copier, files) = (try #require(store.copier), try #require(store.writer.files))
    }

    private var logPages: Int { files.logPages.load(ordering: .relaxed) }

    /// Waits until the writer has done what it does after its answer, and for the copy that runs.
    private func settle() async throws {
        try await store.database.writeWithoutTransaction { _ in }
        copier.wait()
    }

    private func insert(_ number: Int) async throws {
        let key = ManagementKey(
            id: "mk_\(number)", name: "k", appID: nil, hash: "hash \(number)", createdAt: Timestamp(seconds: 1))
        _ = try await store.perform(InsertManagementKey(key))
    }

    /// The keys in the file of the database, without those that are only in the log.
    private func keysWithoutLog() async throws -> Int {
        let copy = directory.path("copy-\(UUID().uuidString).sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let file = try DatabaseQueue(path: copy)
        return try await file.read { db in
            let exists = try Bool.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'management_keys'")
            return exists == true ? try Int.fetchOne(db, sql: "SELECT count(*) FROM management_keys") ?? 0 : 0
        }
    }

    @Test("A log that is long is copied by another connection, and begins again after the next transactions")
    func copied() async throws {
        var count = 0
        for _ in 0..<4 {
            while logPages < Self.length {
                try await insert(count)
                count += 1
            }
            try await settle()
            #expect(try await keysWithoutLog() >= count - 1)
            // The writer copies the rest after the first one. The second one begins the log, and the third one finds it short.
            for _ in 0..<3 {
                try await insert(count)
                count += 1
            }
            #expect(logPages < Self.length)
        }
        #expect(try await store.managementKeys().count == count)
        try await store.close()
        #expect(try await keysWithoutLog() == count)
    }

    @Test("While a reader needs the log, it grows and nothing is lost. It is copied later")
    func slowReader() async throws {
        try await insert(0)
        let reading = AsyncStream<Void>.makeStream()
        let read = AsyncStream<Void>.makeStream()
        let database = store.database
        let reader = Task.detached {
            try await database.read { db in
                let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM management_keys")
                reading.continuation.finish()
                let end = DispatchSemaphore(value: 0)
                Task.detached {
                    for await _ in read.stream {}
                    end.signal()
                }
                end.wait()
                return (before, try Int.fetchOne(db, sql: "SELECT count(*) FROM management_keys"))
            }
        }
        for await _ in reading.stream {}
        for number in 1..<40 { try await insert(number) }
        try await settle()
        #expect(logPages > Self.length)
        read.continuation.finish()
        #expect(try await reader.value == (1, 1))
        for number in 40..<50 {
            try await insert(number)
            try await settle()
        }
        #expect(logPages < 40)
        #expect(try await store.managementKeys().count == 50)
        try await store.close()
    }

    @Test("The log of a lost database is not copied")
    func lost() async throws {
        for number in 0..<3 { try await insert(number) }
        try await settle()
        // A part of the log may be in it, so the file cannot be read without the log.
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        try await store.database.writeWithoutTransaction { [copier, files] db in
            for _ in 0..<3 {
                copier.logGrew(to: Self.length, db, files)
                copier.wait()
            }
        }
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        try await store.close()
    }
}
