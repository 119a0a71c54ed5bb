internal import GRDB
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Savepoints of jobs")
struct SavepointsTests {
    private let database: DatabaseQueue
    private let gate = WriterGate()

    init() throws {
        database = try DatabaseQueue()
        try database.write { try $0.execute(sql: "CREATE TABLE jobs (number INTEGER UNIQUE)") }
    }

    private func insert(_ number: Int) -> @Sendable (Database) throws -> WriteResult<Void> {
        { db in
            try db.run("INSERT INTO jobs VALUES (?)", [number])
            return .keep(())
        }
    }

    private func numbers() throws -> [Int] {
        try database.read { try Int.fetchAll($0, sql: "SELECT number FROM jobs ORDER BY number") }
    }

    @Test("There are none until a job must be undone, and none again when that was long ago")
    func caution() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        let found = Mutex<[Bool]>([])
        try await database.writeWithoutTransaction { db in
            db.trace { event in
                guard case .statement(let statement) = event else { return }
                if statement.sql.hasPrefix("INSERT") { found.withLock { $0.append(false) } }
                if statement.sql.hasPrefix("RELEASE") { found.withLock { $0[$0.count - 1] = true } }
            }
        }
        try await writer.perform(insert(1))
        #expect(found.withLock { $0 } == [false])
        await #expect(throws: StoreError.self) { try await writer.perform(insert(1)) }
        #expect(found.withLock { $0 } == [false, false, true])
        for number in 2...(Savepoints.caution + 2) { try await writer.perform(insert(number)) }
        // The transaction that was undone has its savepoints, too.
        let expected = Array(repeating: true, count: Savepoints.caution - 1) + [false, false]
        #expect(Array(found.withLock { $0 }.dropFirst(3)) == expected)
        #expect(try numbers() == Array(1...(Savepoints.caution + 2)))
    }

    @Test("A transaction that must undo a job runs all its jobs again, and each caller gets one response")
    func again() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        let runs = Mutex(0)
        await gate.hold(database)
        async let first: Int = writer.perform { db in
            try db.run("INSERT INTO jobs VALUES (?)", [1])
            return .keep(
                runs.withLock { runs in
                    runs += 1
                    return runs
                })
        }
        while writer.waitingCount < 1 { await Task.yield() }
        async let second: Void = writer.perform { db in
            try db.run("INSERT INTO jobs VALUES (?)", [2])
            return .undo(())
        }
        while writer.waitingCount < 2 { await Task.yield() }
        gate.open()
        #expect(try await first == 2)
        try await second
        #expect(try numbers() == [1])
    }

    @Test("An intent that decides again does so in a transaction with savepoints, and keeps what it wrote last")
    func undoing() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        try await writer.perform { db in
            try db.run("INSERT INTO jobs VALUES (?)", [1])
            try writer.undoJob(in: db)
            try db.run("INSERT INTO jobs VALUES (?)", [2])
            return .keep(())
        }
        #expect(try numbers() == [2])
    }
}
