internal import GRDB
internal import SessionDomain
internal import Synchronization

/// What a job of the writer returns.
enum WriteResult<Answer: Sendable>: Sendable {
    case keep(Answer)
    /// Answers, and undoes what the job wrote.
    case undo(Answer)
}

/// The one writer of a database. Waiting jobs share one transaction and one sync of the disk.
///
/// Each job runs in its own savepoint, so a failing job undoes only itself. Callers are answered after the commit. An
/// accepted job runs to its end, even if its caller is cancelled.
@available(service, *)
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        /// An instant of the observer.
        let queuedAt: UInt64
        /// Runs in the open transaction and returns the reply for after the commit. Throws if the transaction is lost.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (StoreError) -> Void
        /// Where the trace of the caller shows the transaction.
        let span: (any WorkSpan)?
    }

    private struct Queue {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
    }

    private let writer: any DatabaseWriter
    /// `nil` for a database in memory.
    let files: OpenFiles?
    private let health: StoreHealth
    private let capacity: Int
    private let batchSize: Int
    private let observer: any ServiceObserver
    private let queue = Mutex(Queue())

    /// - Parameters:
    ///   - files: The files of the database. Nothing is written when one of them is lost.
    ///   - capacity: Jobs that may wait. One more is rejected.
    ///   - batchSize: Jobs that share a transaction at most.
    ///   - health: Learns how each transaction ends.
    init(
        writer: any DatabaseWriter, files: OpenFiles? = nil, capacity: Int, batchSize: Int,
        health: StoreHealth = StoreHealth(), observer: any ServiceObserver = NoObserver()
    ) {
        self.observer = observer
        self.writer = writer
        self.files = files
        self.health = health
        self.capacity = capacity
        self.batchSize = batchSize
    }

    /// Runs a job in its turn and returns when its writes are on the disk.
    ///
    /// - Throws: What the job throws; `StoreError` if the job is rejected or its commit fails.
    func perform<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> WriteResult<Answer>
    ) async throws -> Answer {
        try await observer.trace(.commit) { span in
            try await withCheckedThrowingContinuation { continuation in
                enqueue(
                    Job(
                        queuedAt: observer.instant(),
                        run: { [health] db in
                            let result = try Self.inSavepoint(db, health, work)
                            return { continuation.resume(with: result) }
                        },
                        fail: { continuation.resume(throwing: $0) }, span: span))
            }
        }
    }

    /// The number of waiting jobs.
    var waitingCount: Int { queue.withLock { $0.waiting.count } }

    /// Rejects new jobs and waits for the accepted ones. Returns `false` if it was closed before.
    @discardableResult
    func close() async -> Bool {
        let isFirst = queue.withLock { queue in
            defer { queue.isClosed = true }
            return !queue.isClosed
        }
        // The writer's queue is serial, so this block runs after a drain that is in progress.
        await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
        return isFirst
    }

    private func enqueue(_ job: Job) {
        let (refusal, mustStart): (StoreError?, Bool) = queue.withLock { queue in
            if queue.isClosed { return (.unavailable("the store is closed"), false) }
            if queue.waiting.count >= capacity { return (.overloaded, false) }
            queue.waiting.append(job)
            defer { queue.isDraining = true }
            return (nil, !queue.isDraining)
        }
        if let refusal {
            if refusal == .overloaded { observer.observe(.writeRefused) }
            return job.fail(refusal)
        }
        if mustStart { writer.asyncWriteWithoutTransaction { db in self.drain(db) } }
    }

    private func drain(_ db: Database) {
        while let batch = nextBatch() { commit(batch, db) }
    }

    private func nextBatch() -> [Job]? {
        queue.withLock { queue in
            let batch = Array(queue.waiting.prefix(batchSize))
            queue.waiting.removeFirst(batch.count)
            queue.isDraining = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }

    private func commit(_ batch: [Job], _ db: Database) {
        var replies: [@Sendable () -> Void] = []
        let startedAt = observer.instant()
        do {
            try db.inTransaction(.immediate) {
                try keepFiles()
                replies = try batch.map { try $0.run(db) }
                return .commit
            }
            // The log was deleted since. Without its name, a killed process would lose what is answered now.
            if files?.hasDeletedLog == true { try Self.restoreLog(db, keepFiles) }
        } catch {
            let failure = StoreError(error)
            health.failedTransaction(failure)
            report(batch, startedAt: startedAt, hasFailed: true)
            for job in batch { job.fail(failure) }
            return
        }
        health.committed()
        // Before the replies, so that a metric that is read after a response contains its commit.
        report(batch, startedAt: startedAt, hasFailed: false)
        for reply in replies { reply() }
    }

    /// Checks the files in a transaction that holds the write lock, and writes a deleted log again.
    private func keepFiles() throws {
        if try files?.check() == true { observer.observe(.notice(.databaseLogRestored)) }
    }

    /// Writes a deleted log again after a commit.
    private static func restoreLog(_ db: Database, _ keepFiles: () throws -> Void) throws {
        try db.inTransaction(.immediate) {
            try keepFiles()
            return .commit
        }
    }

    /// Copies the log into the database, as the last work before the database is closed.
    ///
    /// - Returns: `false` if a file is lost. Then the database must not be closed, because SQLite would copy the log.
    func foldLog() -> Bool {
        writer.writeWithoutTransaction { db in
            do {
                try Self.restoreLog(db, keepFiles)
            } catch {
                // Other errors, such as a full disk, leave the log for the next start.
                return files?.areLost != true
            }
            // The copy can fail while another process reads. Then the log stays, and nothing is lost.
            _ = try? db.checkpoint(.truncate)
            return true
        }
    }

    private func report(_ batch: [Job], startedAt: UInt64, hasFailed: Bool) {
        let queuedAt = batch.first?.queuedAt ?? startedAt
        let waited = startedAt > queuedAt ? Double(startedAt - queuedAt) / 1_000_000_000 : 0
        for job in batch { job.span?.note(.batch(writes: batch.count, waited: waited)) }
        observer.observe(
            .committed(
                CommitBatch(
                    writes: batch.count, waited: waited, took: observer.seconds(since: startedAt),
                    hasFailed: hasFailed, waiting: waitingCount)))
    }

    private static func inSavepoint<Answer: Sendable>(
        _ db: Database, _ health: StoreHealth, _ work: (Database) throws -> WriteResult<Answer>
    ) throws -> Result<Answer, any Error> {
        try db.run("SAVEPOINT job")
        let result: Result<Answer, any Error>
        do {
            switch try work(db) {
            case .keep(let answer):
                try db.run("RELEASE job")
                return .success(answer)
            case .undo(let answer): result = .success(answer)
            }
        } catch {
            // Some errors, such as a full disk, end the transaction of the whole batch. In a database that SQLite could open
            // for reading only, no write works, and an empty transaction would count as one that did.
            let isReadOnly = (error as? DatabaseError)?.resultCode == .SQLITE_READONLY
            guard db.isInsideTransaction, !isReadOnly else { throw error }
            if error is DatabaseError || error is RowDecodingError || error is StoreError {
                let failure = StoreError(error)
                health.failed(failure)
                result = .failure(failure)
            } else {
                result = .failure(error)
            }
        }
        try undoJob(in: db)
        try db.run("RELEASE job")
        return result
    }

    /// Undoes what the running job wrote so far. The job may go on.
    static func undoJob(in db: Database) throws { try db.run("ROLLBACK TO job") }
}
