internal import GRDB
internal import SessionDomain
internal import Synchronization

/// What a job of the writer ends with.
enum WriteResult<Answer: Sendable>: Sendable {
    case keep(Answer)
    /// Answers, but leaves the database as it was before the job.
    case undo(Answer)
}

/// One writer for everybody: the jobs that wait share one transaction and one sync of the disk.
///
/// Each job runs in a savepoint of its own, so that a failing one undoes only itself, and callers are answered after
/// the commit. A job that was taken runs to its end whether its caller still waits or not.
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        /// Runs in the open transaction; the reply is for after the commit. Throws when the transaction itself is lost.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (StoreError) -> Void
    }

    private struct Queue {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
    }

    private let writer: any DatabaseWriter
    private let capacity: Int
    private let batchSize: Int
    private let queue = Mutex(Queue())

    /// - Parameters:
    ///   - capacity: Jobs that may wait; one more is refused.
    ///   - batchSize: Jobs that share a transaction at most.
    init(writer: any DatabaseWriter, capacity: Int, batchSize: Int) {
        self.writer = writer
        self.capacity = capacity
        self.batchSize = batchSize
    }

    /// Runs a job in its turn; returns when what it wrote is on the disk.
    ///
    /// - Throws: What the job throws, or `StoreError` when it was refused or its commit failed.
    func perform<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> WriteResult<Answer>
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(
                Job(
                    run: { db in
                        let result = try Self.inSavepoint(db, work)
                        return { continuation.resume(with: result) }
                    },
                    fail: { continuation.resume(throwing: $0) }))
        }
    }

    /// Jobs that wait for their turn now.
    var waitingCount: Int { queue.withLock { $0.waiting.count } }

    /// Refuses new jobs and waits for those that were taken. Whether nobody had closed it before.
    @discardableResult
    func close() async -> Bool {
        let isFirst = queue.withLock { queue in
            defer { queue.isClosed = true }
            return !queue.isClosed
        }
        // The writer's queue is serial: what comes after a drain runs after it.
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
        if let refusal { return job.fail(refusal) }
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
        do {
            try db.inTransaction(.immediate) {
                replies = try batch.map { try $0.run(db) }
                return .commit
            }
        } catch {
            let failure = StoreError(error)
            for job in batch { job.fail(failure) }
            return
        }
        for reply in replies { reply() }
    }

    private static func inSavepoint<Answer: Sendable>(
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
            // A full disk, for one, ends the transaction of everybody.
            guard db.isInsideTransaction else { throw error }
            result = .failure(error is DatabaseError || error is RowDecodingError ? StoreError(error) : error)
        }
        try db.run("ROLLBACK TO job")
        try db.run("RELEASE job")
        return result
    }
}
