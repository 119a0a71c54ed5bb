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
    let sharingKey: String?
    let fail: @Sendable (StoreError) -> Void
    /// Where the trace of the caller shows the transaction.
    let span: (any WorkSpan)?
    /// Milliseconds of uptime until which the job may wait for a connection. The pool sets it.
    var deadline = Int64.max
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
    mutating func next(limit: Int) -> [PoolJob] {
        guard let first = jobs.first else { return [] }
        guard let key = first.sharingKey else { return [jobs.removeFirst()] }
        var (batch, keys, left): ([PoolJob], Set<String>, [PoolJob]) = ([first], [key], [])
        for job in jobs.dropFirst() {
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
