internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Files of a database that are deleted or replaced while it is open")
struct LostFilesTests {
    private let directory: TemporaryDirectory
    private let store: SQLiteStore
    private var path: String { directory.path("store.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        store = try SQLiteStore.open(.file(directory.path("store.sqlite")))
    }

    private func insert(_ number: Int) async throws {
        let key = ManagementKey(
            id: "mk_\(number)", name: "k", appID: nil, hash: "hash \(number)", createdAt: Timestamp(seconds: 1))
        _ = try await store.perform(InsertManagementKey(key))
    }

    /// The keys that a process finds that starts after this one was killed.
    private func keysAfterKill() async throws -> Set<String> {
        let copy = directory.path("copy-\(UUID().uuidString).sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let next = try SQLiteStore.open(.file(copy))
        let check = try await next.database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(check == "ok")
        let keys = Set(try await next.managementKeys().map(\.id))
        try await next.close()
        return keys
    }

    private func remove(_ suffixes: String...) throws {
        for suffix in suffixes { try FileManager.default.removeItem(atPath: path + suffix) }
    }

    @Test(
        "After a file was deleted, reads and writes fail and say what to do, and closing copies the committed rows",
        arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
    func deleted(suffixes: [String]) async throws {
        try await insert(1)
        for suffix in suffixes { try remove(suffix) }
        let error = await #expect(throws: StoreError.self) { try await insert(2) }
        #expect(error?.reason.contains("\(path)\(suffixes[0]) was deleted while the service runs") == true)
        #expect(error?.reason.contains("SIGTERM") == true)
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        #expect(store.health.isFailing)
        for suffix in suffixes { #expect(!FileManager.default.fileExists(atPath: path + suffix)) }
        try await store.close()
        #expect(try await keysAfterKill() == ["mk_1"])
    }

    @Test("A database that was moved away stops reads and writes, and they go on when it is back")
    func movedDatabase() async throws {
        try await insert(1)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        await #expect(throws: StoreError.self) { try await insert(2) }
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
        try await insert(3)
        try await store.close()
        #expect(try await keysAfterKill() == ["mk_1", "mk_3"])
    }

    @Test(
        "With a database or an index of others, reads and writes fail, and closing copies nothing",
        arguments: ["", "-shm"])
    func replaced(suffix: String) async throws {
        try await insert(1)
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        try remove(suffix)
        let other = Data("a file of another process".utf8)
        try other.write(to: URL(fileURLWithPath: path + suffix))
        let error = await #expect(throws: StoreError.self) { try await insert(2) }
        #expect(error?.reason.contains("\(path)\(suffix) was replaced while the service runs") == true)
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        try await store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + suffix)) == other)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
    }

    @Test("With a log of others, reads and writes fail, and closing leaves the files of others alone")
    func replacedLog() async throws {
        try await insert(1)
        let database = try Data(contentsOf: URL(fileURLWithPath: path))
        try remove("-wal")
        let other = Data("the log of another process".utf8)
        try other.write(to: URL(fileURLWithPath: path + "-wal"))
        let error = await #expect(throws: StoreError.self) { try await insert(2) }
        #expect(error?.reason.contains("was replaced while the service runs") == true)
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        try await store.close()
        try await store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == database)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == other)
    }

    @Test("After another process has copied the log and begun a new one, writing goes on")
    func foldedLog() async throws {
        try await insert(1)
        for _ in 1...2 {
            let other = try SQLiteStore.open(.file(path), opening: .existing)
            try await other.close()
        }
        try await insert(2)
        let database = try DatabaseQueue(path: path)
        try await database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try database.close()
        try await insert(3)
        #expect(try await keysAfterKill() == ["mk_1", "mk_2", "mk_3"])
        try await store.close()
    }

    @Test("A database that was emptied stops reads and writes, and its log stays as it is")
    func emptiedDatabase() async throws {
        try await insert(1)
        truncate(path, 0)
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        let error = await #expect(throws: StoreError.self) { try await insert(2) }
        #expect(error?.reason.contains("was emptied while the service runs") == true)
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        try await store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
    }

    @Test(
        "A database whose log or index was deleted is not opened beside the process that has it open",
        arguments: ["-wal", "-shm"])
    func opening(suffix: String) async throws {
        let lock = try DatabaseLock(path, .shared)
        try LostFiles.refuse(at: path, lock: lock, attempts: 1)
        try remove(suffix)
        #expect(throws: StoreError.self) { try LostFiles.refuse(at: path, lock: lock, attempts: 2) }
        try await store.close()
        try LostFiles.refuse(at: path, lock: lock, attempts: 1)
        lock.release()
    }
}
