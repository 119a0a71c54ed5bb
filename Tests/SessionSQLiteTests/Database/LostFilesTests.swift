internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

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

    @Test("A deleted log is written again by the next transaction, and a killed process loses nothing")
    func deletedLog() async throws {
        for round in 0..<5 {
            try await insert(2 * round)
            try remove("-wal")
            try await insert(2 * round + 1)
            #expect(try await keysAfterKill() == Set((0...(2 * round + 1)).map { "mk_\($0)" }))
        }
        #expect(try await store.managementKeys().count == 10)
        try await store.close()
    }

    @Test("A log that is deleted during a transaction is written again before the callers get their answer")
    func deletedInTransaction() async throws {
        let log = path + "-wal"
        try await store.writer.perform { db in
            try db.execute(sql: "CREATE TABLE written (number INTEGER)")
            try FileManager.default.removeItem(atPath: log)
            return .keep(())
        }
        #expect(FileManager.default.fileExists(atPath: log))
        try await store.close()
    }

    @Test("A read after the log was deleted writes it again, and finds every committed row")
    func reader() async throws {
        try await insert(1)
        try remove("-wal")
        async let reads = withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { [store] in try await store.managementKeys().count } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(try await reads == [1])
        #expect(try await keysAfterKill() == ["mk_1"])
        try await store.close()
    }

    @Test("Closing after the log was deleted keeps every committed row")
    func closing() async throws {
        try await insert(1)
        try remove("-wal")
        try await store.close()
        #expect(try await keysAfterKill() == ["mk_1"])
    }

    @Test("Without log and index, the log is written again, and reads and writes fail until a restart")
    func logAndIndex() async throws {
        try await insert(1)
        try remove("-wal", "-shm")
        await #expect(throws: StoreError.self) { try await insert(2) }
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        #expect(store.health.isFailing)
        #expect(try await keysAfterKill() == ["mk_1"])
        try await store.close()
        #expect(try await keysAfterKill() == ["mk_1"], "closing does not delete the log")
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

    /// How people damage a log, most often to free space.
    enum LogDamage: CaseIterable {
        case emptied, halved, overwritten

        func apply(to path: String) throws {
            let log = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            let size = try log.seekToEnd()
            switch self {
            case .emptied: try log.truncate(atOffset: 0)
            case .halved: try log.truncate(atOffset: size / 2)
            case .overwritten:
                try log.seek(toOffset: 0)
                try log.write(contentsOf: Data(count: 64))
            }
            try log.close()
        }
    }

    @Test("A truncated or overwritten log stops reads and writes, and is not copied", arguments: LogDamage.allCases)
    func damagedLog(damage: LogDamage) async throws {
        for number in 1...4 { try await insert(number) }
        let database = try Data(contentsOf: URL(fileURLWithPath: path))
        try damage.apply(to: path + "-wal")
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        let error = await #expect(throws: StoreError.self) { try await insert(5) }
        #expect(error?.reason.contains("was truncated or overwritten") == true)
        await #expect(throws: StoreError.self) { try await store.managementKeys() }
        #expect(store.health.isFailing)
        try await store.close()
        try await store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == database)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
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
