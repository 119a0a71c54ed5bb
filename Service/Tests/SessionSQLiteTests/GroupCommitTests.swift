internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Writes share commits")
struct GroupCommitTests {
    private struct JobFailure: Error, Equatable { let index: Int }

    private let directory: TemporaryDirectory
    private let database: DatabasePool
    private let observer = CommitObserver()
    private let gate = WriterGate()

    init() throws {
        directory = try TemporaryDirectory()
        database = try DatabasePool(
            path: directory.path("commits.sqlite"), configuration: ConnectionSettings.configuration)
        try database.write { try $0.execute(sql: "CREATE TABLE jobs (position INTEGER PRIMARY KEY, number INTEGER)") }
        database.add(transactionObserver: observer, extent: .databaseLifetime)
    }

    @Test("Waiting jobs share one transaction, up to the batch size")
    func sharing() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        await gate.hold(database)
        let jobs = try await queued(200, in: writer) { insert($0) }
        #expect(observer.commits == 0)
        gate.open()
        for job in jobs { try await job.value }
        #expect(observer.commits == 4)
        #expect(try numbers().count == 200)
    }

    @Test("Jobs of one turn are written together, and the responses of a commit go out together")
    func turns() async throws {
        let handover = HeldHandover()
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64, handover: handover)
        let jobs = try await queued(5, in: writer) { insert($0) }
        // The writer has nothing to do before the end of the turn.
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
        #expect(observer.commits == 0)
        handover.endTurn()
        for job in jobs { try await job.value }
        #expect(observer.commits == 1)
        #expect(handover.rounds == 1)
        #expect(try numbers() == [0, 1, 2, 3, 4])
    }

    @Test("Closing does not wait for the end of a turn")
    func closingInTurn() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64, handover: HeldHandover())
        let jobs = try await queued(2, in: writer) { insert($0) }
        #expect(await writer.close())
        for job in jobs { try await job.value }
        #expect(try numbers() == [0, 1])
    }

    @Test("Jobs run in the order in which they came")
    func order() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 7)
        await gate.hold(database)
        let jobs = try await queued(50, in: writer) { insert($0) }
        gate.open()
        for job in jobs { try await job.value }
        #expect(try numbers() == Array(0..<50))
    }

    @Test("A job that throws undoes only itself, and its caller gets the error")
    func isolation() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        await gate.hold(database)
        let jobs = try await queued(9, in: writer) { index in
            { db in
                _ = try insert(index)(db)
                if index % 3 == 1 { throw JobFailure(index: index) }
                if index % 3 == 2 { return .undo(()) }
                return .keep(())
            }
        }
        gate.open()
        for (index, job) in jobs.enumerated() {
            if index % 3 == 1 {
                await #expect(throws: JobFailure(index: index)) { try await job.value }
            } else {
                try await job.value
            }
        }
        #expect(try numbers() == [0, 3, 6])
        #expect(observer.commits == 1)
    }

    @Test("An SQL error is reported without the values of the statement")
    func statementError() async throws {
        let writer = GroupCommit(writer: database, capacity: 10, batchSize: 10)
        await #expect {
            try await writer.perform { db -> WriteResult<Void> in
                try db.run("INSERT INTO jobs VALUES (?, ?)", ["secret", "value"])
                return .keep(())
            }
        } throws: { error in
            guard case StoreError.unavailable(let text) = error else { return false }
            return text.contains("SQLite") && !text.contains("secret") && !text.contains("value")
        }
    }

    // Proves: B6
    @Test("A failing commit fails every job of its batch, and the next batch succeeds")
    func failedCommit() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        observer.refuseCommits(true)
        await gate.hold(database)
        let jobs = try await queued(5, in: writer) { insert($0) }
        gate.open()
        for job in jobs { await #expect(throws: StoreError.self) { try await job.value } }
        #expect(try numbers() == [])
        observer.refuseCommits(false)
        try await writer.perform(insert(7))
        #expect(try numbers() == [7])
    }

    // Proves: R7
    @Test("A job beyond the capacity is rejected at once, and waiting jobs are done")
    func overload() async throws {
        let writer = GroupCommit(writer: database, capacity: 3, batchSize: 64)
        await gate.hold(database)
        let jobs = try await queued(3, in: writer) { insert($0) }
        await #expect(throws: StoreError.overloaded) { try await writer.perform(insert(99)) }
        gate.open()
        for job in jobs { try await job.value }
        try await writer.perform(insert(100))
        #expect(try numbers() == [0, 1, 2, 100])
    }

    @Test("An answered write is visible to every other connection")
    func answeredMeansCommitted() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 16)
        var configuration = Configuration()
        configuration.readonly = true
        let other = try DatabaseQueue(path: directory.path("commits.sqlite"), configuration: configuration)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    try await writer.perform(insert(index))
                    return try await other.read { db in
                        try Bool.fetchOne(db, sql: "SELECT count(*) = 1 FROM jobs WHERE number = ?", arguments: [index])
                            ?? false
                    }
                }
            }
            for try await isThere in group { #expect(isThere) }
        }
    }

    @Test("The job of a cancelled caller is done")
    func cancellation() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64)
        await gate.hold(database)
        let jobs = try await queued(4, in: writer) { insert($0) }
        jobs[1].cancel()
        gate.open()
        for job in jobs { try await job.value }
        #expect(try numbers() == [0, 1, 2, 3])
        #expect(observer.commits == 1)
    }

    @Test("A closed writer finishes the accepted jobs and rejects further ones")
    func closing() async throws {
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 2)
        await gate.hold(database)
        let jobs = try await queued(5, in: writer) { insert($0) }
        async let closed = writer.close()
        gate.open()
        #expect(await closed)
        for job in jobs { try await job.value }
        #expect(try numbers().count == 5)
        await #expect(throws: StoreError.self) { try await writer.perform(insert(9)) }
    }

    @Test("A lock that another process holds too long is an error")
    func lockedByAnotherProcess() async throws {
        var configuration = ConnectionSettings.configuration
        configuration.busyMode = .immediateError
        configuration.allowsUnsafeTransactions = true
        let (other, impatient) = (
            try DatabaseQueue(path: directory.path("commits.sqlite"), configuration: configuration),
            try DatabaseQueue(path: directory.path("commits.sqlite"), configuration: configuration)
        )
        let writer = GroupCommit(writer: impatient, capacity: 10, batchSize: 10)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect(throws: StoreError.self) { try await writer.perform(insert(1)) }
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await writer.perform(insert(2))
        #expect(try numbers() == [2])
    }

    // Proves: B8
    @Test("A full disk fails every job of its transaction with the same error, and the writer goes on")
    func fullDisk() async throws {
        let health = StoreHealth()
        let writer = GroupCommit(writer: database, capacity: 1000, batchSize: 64, health: health)
        try await setMaximumSize(pages: 20)
        await gate.hold(database)
        let jobs = try await queued(9, in: writer) { index in
            { db in
                _ = try insert(index)(db)
                // Only the fifth job needs more pages than there are.
                if index == 4 { try db.run("INSERT INTO jobs (number) VALUES (zeroblob(1000000))") }
                // A refusal that was decided in a transaction that is lost is no answer either.
                if index == 7 { throw JobFailure(index: index) }
                return .keep(())
            }
        }
        gate.open()
        var failures: Set<String> = []
        for job in jobs {
            let error = await #expect(throws: StoreError.self) { try await job.value }
            failures.insert(error?.reason ?? "none")
        }
        #expect(failures.count == 1 && failures.first?.hasPrefix("SQLite 13") == true)
        #expect(try numbers().isEmpty)
        #expect(health.isFailing && health.failures == 1)

        try await writer.perform(insert(10))
        #expect(!health.isFailing)
        #expect(try numbers() == [10])
    }

    // Proves: B8
    @Test("Nothing is written while the name of the file is gone, and writing goes on when it is back")
    func lostName() async throws {
        let (path, aside) = (directory.path("commits.sqlite"), directory.path("aside"))
        let writer = GroupCommit(
            writer: database, files: OpenFiles(path: path), capacity: 1000, batchSize: 64, health: StoreHealth())
        try await writer.perform(insert(1))
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        await #expect(throws: StoreError.self) { try await writer.perform(insert(2)) }
        // Another file with the same name is not the database.
        try Data().write(to: URL(fileURLWithPath: path))
        await #expect(throws: StoreError.self) { try await writer.perform(insert(3)) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        try await writer.perform(insert(4))
        #expect(try numbers() == [1, 4])
    }

    private func setMaximumSize(pages: Int) async throws {
        try await database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }

    private func insert(_ number: Int) -> @Sendable (Database) throws -> WriteResult<Void> {
        { db in
            try db.run("INSERT INTO jobs (number) VALUES (?)", [number])
            return .keep(())
        }
    }

    private func numbers() throws -> [Int] {
        try database.read { try Int.fetchAll($0, sql: "SELECT number FROM jobs ORDER BY position") }
    }

    /// Starts jobs one after the other, each when the one before is waiting.
    private func queued(
        _ count: Int, in writer: GroupCommit,
        _ work: (Int) -> @Sendable (Database) throws -> WriteResult<Void>
    ) async throws -> [Task<Void, any Error>] {
        var jobs: [Task<Void, any Error>] = []
        for index in 0..<count {
            let work = work(index)
            jobs.append(Task { try await writer.perform(work) })
            while writer.waitingCount <= index { await Task.yield() }
        }
        return jobs
    }
}
