internal import GRDB
internal import SessionDomain
internal import SessionSQL
internal import Synchronization

/// What a job of the writer returns.
enum WriteResult<Answer: Sendable>: Sendable {
    case keep(Answer)
    /// Answers, and undoes what the job wrote.
    case undo(Answer)
}

/// The one writer of a database. Waiting jobs share one transaction and one sync of the disk.
///
/// A failing job undoes only itself (`Savepoints`). Callers are answered after the commit. An accepted job runs to its end,
/// even if its caller is cancelled. A job may run twice, and what it did first is undone.
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
        /// How many of the waiting jobs the writer may take. The threads that brought the others may bring more.
        var ready = 0
        /// Whether a thread will tell that all waiting jobs are ready.
        var isAnnounced = false
        var isDraining = false
        var isClosed = false
    }

    private let writer: any DatabaseWriter
    /// `nil` for a database in memory.
    let files: OpenFiles?
    private let copier: LogCopier?
    private let health: StoreHealth
    private let capacity: Int
    private let batchSize: Int
    private let observer: any ServiceObserver
    private let handover: any Handover
    private let queue = Mutex(Queue())
    private let savepoints: Savepoints

    /// - Parameters:
    ///   - files: The files of the database. Nothing is written when one of them is lost.
    ///   - copier: Copies the log of the files.
    ///   - capacity: Jobs that may wait. One more is rejected.
    ///   - batchSize: Jobs that share a transaction at most.
    ///   - health: Learns how each transaction ends.
    ///   - handover: How jobs and responses change threads.
    init(
        writer: any DatabaseWriter, files: OpenFiles? = nil, copier: LogCopier? = nil, capacity: Int, batchSize: Int,
        health: StoreHealth = StoreHealth(), observer: any ServiceObserver = NoObserver(),
        handover: any Handover = DirectHandover()
    ) {
        self.observer = observer
        self.handover = handover
        self.writer = writer
        self.files = files
        self.copier = copier
        self.health = health
        self.capacity = capacity
        self.batchSize = batchSize
        savepoints = Savepoints(health: health)
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
                        run: { [savepoints] db in
                            let result = try savepoints.result(of: work, in: db)
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
        start()
        // The writer's queue is serial, so this block runs after the drain that is in progress.
        await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
        return isFirst
    }

    private func enqueue(_ job: Job) {
        let (refusal, mustAnnounce): (StoreError?, Bool) = queue.withLock { queue in
            if queue.isClosed { return (.unavailable("the store is closed"), false) }
            if queue.waiting.count >= capacity { return (.overloaded, false) }
            queue.waiting.append(job)
            defer { queue.isAnnounced = true }
            return (nil, !queue.isAnnounced)
        }
        if let refusal {
            if refusal == .overloaded { observer.observe(.writeRefused) }
            return job.fail(refusal)
        }
        if mustAnnounce { handover.afterTick { self.start() } }
    }

    /// Makes all waiting jobs ready, and starts the writer if it is idle.
    private func start() {
        let mustStart = queue.withLock { queue in
            queue.isAnnounced = false
            queue.ready = queue.waiting.count
            guard queue.ready > 0, !queue.isDraining else { return false }
            queue.isDraining = true
            return true
        }
        if mustStart { writer.asyncWriteWithoutTransaction { db in self.drain(db) } }
    }

    private func drain(_ db: Database) {
        while let batch = nextBatch() { commit(batch, db) }
    }

    private func nextBatch() -> [Job]? {
        queue.withLock { queue in
            let batch = Array(queue.waiting.prefix(min(queue.ready, batchSize)))
            queue.waiting.removeFirst(batch.count)
            queue.ready -= batch.count
            queue.isDraining = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }

    private func commit(_ batch: [Job], _ db: Database) {
        let replies: [@Sendable () -> Void]
        let startedAt = observer.instant()
        do {
            replies = try savepoints.avoided {
                try Self.inTransaction(db) {
                    try savepoints.checkSchema()
                    try files?.check()
                    return try batch.map { try $0.run(db) }
                }
            }
        } catch {
            let failure = StoreError(error)
            health.failedTransaction(failure)
            report(batch, startedAt: startedAt, hasFailed: true)
            handover.resuming { for job in batch { job.fail(failure) } }
            return
        }
        health.committed()
        // Before the replies, so that a metric that is read after a response contains its commit.
        report(batch, startedAt: startedAt, hasFailed: false)
        handover.resuming { for reply in replies { reply() } }
        if let files, let copier { copier.logGrew(to: files.logPages.load(ordering: .relaxed), db, files) }
    }

    /// Runs a transaction that has the write lock from its beginning. `Database.inTransaction` parses its statements again
    /// each time.
    private static func inTransaction<Answer>(_ db: Database, _ body: () throws -> Answer) throws -> Answer {
        try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            let answer = try body()
            try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return answer
        } catch {
            // Some errors have ended the transaction already.
            if db.isInsideTransaction { try? db.cachedStatement(sql: "ROLLBACK TRANSACTION").execute() }
            throw error
        }
    }

    /// Copies the log into the database, as the last work before the database is closed.
    ///
    /// - Returns: `false` if a file was replaced. Then the database must not be closed, because SQLite would copy the log.
    func foldLog() -> Bool {
        copier?.wait()
        return writer.writeWithoutTransaction { db in
            guard files?.mayBeCopied != false else { return false }
            // The copy can fail while another process reads, or on a full disk. Then the log stays for the next start.
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

    /// Undoes what the running job wrote so far. The job may go on.
    func undoJob(in db: Database) throws { try savepoints.undoJob(in: db) }
}

/// Undoes single jobs of a shared transaction.
///
/// A savepoint costs a job two statements, and a copy of each page that it changes. Almost no job is undone. So a
/// transaction has no savepoints at first. If one of its jobs must be undone, it is rolled back, and all its jobs run again,
/// each in its savepoint. The next transactions have savepoints at once, so a caller whose jobs fail on purpose makes few
/// transactions run twice.
final class Savepoints: Sendable {
    /// Transactions that have savepoints after one that needed them.
    static let caution = 64

    private let health: StoreHealth
    /// How many transactions still have savepoints. Only the writer uses it, which does one thing after the other.
    private let cautious = Mutex(0)
    /// Whether a newer version has migrated the database since this one opened it.
    private let newerSchema = Mutex<StoreError?>(nil)

    init(health: StoreHealth) { self.health = health }

    /// The errors of statements that do not fit their tables.
    private static let codesOfSchema: [ResultCode] = [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH]

    /// A job must be undone, and its transaction has no savepoints.
    private struct MissingSavepoint: Error {}

    private var areUsed: Bool { cautious.withLock { $0 > 0 } }

    /// Runs a transaction without savepoints if it does not need them.
    ///
    /// - Parameter transaction: Runs the jobs and commits. If it throws, nothing is written.
    func avoided<Answer>(_ transaction: () throws -> Answer) throws -> Answer {
        if !areUsed {
            do {
                return try transaction()
            } catch is MissingSavepoint {
                cautious.withLock { $0 = Self.caution }
            }
        }
        defer { cautious.withLock { $0 -= 1 } }
        return try transaction()
    }

    /// Runs a job of a transaction that `avoided` runs.
    ///
    /// - Throws: An error that ends the transaction.
    func result<Answer: Sendable>(
        of work: (Database) throws -> WriteResult<Answer>, in db: Database
    ) throws -> Result<Answer, any Error> {
        if areUsed { return try inSavepoint(db, work) }
        guard case .keep(let answer)? = try? work(db) else { throw MissingSavepoint() }
        return .success(answer)
    }

    private func inSavepoint<Answer: Sendable>(
        _ db: Database, _ work: (Database) throws -> WriteResult<Answer>
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
            try refuseNewerSchema(db, after: error)
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

    /// A newer version may have changed tables under this one. Single jobs would then fail, and others succeed, so that the
    /// service would look healthy.
    ///
    /// - Throws: `StoreError.newerSchema`, now and for all later transactions.
    private func refuseNewerSchema(_ db: Database, after error: any Error) throws {
        let mayBeOfSchema = (error as? DatabaseError).map { Self.codesOfSchema.contains($0.resultCode) }
        guard mayBeOfSchema ?? (error is RowDecodingError), let found = try? Migration.version(of: db),
            found > SQLiteStore.supportedSchema
        else { return }
        let refusal = StoreError.newerSchema(found: found, supported: SQLiteStore.supportedSchema)
        newerSchema.withLock { $0 = refusal }
        throw refusal
    }

    /// - Throws: What `refuseNewerSchema` has found.
    func checkSchema() throws {
        if let refusal = newerSchema.withLock({ $0 }) { throw refusal }
    }

    /// Undoes what the running job wrote so far. The job may go on.
    func undoJob(in db: Database) throws {
        guard areUsed else { throw MissingSavepoint() }
        try db.run("ROLLBACK TO job")
    }
}
