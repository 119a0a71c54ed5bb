internal import GRDB
package import SessionDomain

extension SQLiteStore: IntentStore {
    /// Runs an intent in a shared transaction. What it wrote is undone if it fails, or if it must decide again.
    ///
    /// The transaction holds the write lock before it reads. So no row changes between reading and writing, and guards fail
    /// only where a key is taken or a counter is at its limit.
    package func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        try await observer.trace(.intent(I.self)) { _ in try await decided(intent) }
    }

    private func decided<I: Intent>(_ intent: I) async throws -> I.Outcome {
        let (outcome, occurrences) = try await writer.perform { [writer] db in
            var failures = GuardFailures()
            for _ in 0..<GuardFailures.maximumAttempts {
                var counters = JobCounters()
                var facts = try db.facts(intent.facts, &counters)
                facts.failures.add(failures)
                let decision = try intent.decide(facts)
                do {
                    for change in decision.changes { try db.apply(change, &counters) }
                    try counters.write(to: db)
                    let answer = (decision.outcome, decision.occurrences)
                    return decision.isCommitted ? .keep(answer) : .undo(answer)
                } catch let failure as FailedGuard {
                    failures.add(failure)
                    try writer.undoJob(in: db)
                }
            }
            throw StoreError.contended
        }
        // On the task of the caller, so that an observer knows the request.
        for occurrence in occurrences { observer.observe(occurrence) }
        return outcome
    }
}
