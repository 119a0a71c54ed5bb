internal import SessionDomain

/// What a connection does for one caller.
struct PoolJob: Sendable {
    enum Work: Sendable {
        /// Reads, and returns what answers the caller. Nothing changes, so it can run again on another connection.
        case read(@Sendable (PostgresConnection) throws(PostgresFailure) -> @Sendable () -> Void)
        /// Writes.
        case intent(@Sendable () -> any Attempt)

        var attempt: (any Attempt)? { if case .intent(let attempt) = self { attempt() } else { nil } }
        var isIntent: Bool { if case .intent = self { true } else { false } }
    }

    /// An instant of the observer.
    let queuedAt: UInt64
    let work: Work
    /// Intents with different keys can share a transaction. `nil`: this one needs its own.
    var sharingKey: String?
    let fail: @Sendable (StoreError) -> Void
    /// Where the trace of the caller shows the transaction.
    let span: (any WorkSpan)?
    /// Milliseconds of uptime until which the job may wait for a connection, or for a lock. The pool sets it.
    var deadline = Int64.max
    /// How often it has waited for a lock in vain.
    private(set) var lockWaits = 0

    /// Why it fails at its deadline.
    var lateness: StoreError {
        lockWaits > 0 ? .locked : .unavailable("no connection to the database became free in time")
    }

    /// The same job after it has waited for a lock in vain. It shares no transaction, so that only itself waits again.
    ///
    /// - Returns: `nil` if that was the last attempt.
    func afterLockWait(now: Int64) -> PoolJob? {
        guard lockWaits + 1 < GuardFailures.maximumAttempts, now < deadline else { return nil }
        var next = self
        next.lockWaits += 1
        next.sharingKey = nil
        return next
    }
}

/// The jobs that wait for a connection, in their order.
struct WaitingJobs {
    private var jobs: [PoolJob] = []

    var count: Int { jobs.count }
    /// `nil`: no job waits.
    var firstDeadline: Int64? { jobs.lazy.map(\.deadline).min() }

    /// How many connections they can use.
    var groups: Int { jobs.count { $0.sharingKey == nil } + (jobs.contains { $0.sharingKey != nil } ? 1 : 0) }

    mutating func append(_ job: PoolJob) { jobs.append(job) }

    mutating func prepend(_ batch: [PoolJob]) { jobs.insert(contentsOf: batch, at: 0) }

    /// Removes the first job, and those after it that can share its transaction.
    ///
    /// - Parameter mayWait: Whether it may be a job that has waited for a lock.
    mutating func next(limit: Int, mayWait: Bool = true) -> [PoolJob] {
        guard let place = jobs.firstIndex(where: { mayWait || $0.lockWaits == 0 }) else { return [] }
        let first = jobs[place]
        guard let key = first.sharingKey else { return [jobs.remove(at: place)] }
        var (batch, keys, left): ([PoolJob], Set<String>, [PoolJob]) = ([first], [key], Array(jobs[..<place]))
        for job in jobs[(place + 1)...] {
            // Not before a job with the same key, which stays.
            if let key = job.sharingKey, batch.count < limit, keys.insert(key).inserted {
                batch.append(job)
            } else {
                left.append(job)
            }
        }
        jobs = left
        // All nodes lock sessions in the same order.
        return batch.sorted { ($0.sharingKey ?? "") < ($1.sharingKey ?? "") }
    }

    /// Removes the jobs whose deadline has passed.
    mutating func removeExpired(at now: Int64) -> [PoolJob] {
        guard let firstDeadline, firstDeadline <= now else { return [] }
        let expired = jobs.filter { $0.deadline <= now }
        jobs.removeAll { $0.deadline <= now }
        return expired
    }
}
