internal import GRDB
package import SessionDomain

@available(service, *)
extension SQLiteStore: IntentStore {
    /// Runs an intent in its savepoint of a shared transaction.
    ///
    /// The transaction holds the write lock before it reads. So no row changes between reading and writing, and guards fail
    /// only where a key is taken or a counter is at its limit.
    package func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        try await observer.trace(.intent(I.self)) { _ in try await decided(intent) }
    }

    private func decided<I: Intent>(_ intent: I) async throws -> I.Outcome {
        let (outcome, occurrences) = try await writer.perform { db in
            var failures = GuardFailures()
            for _ in 0..<GuardFailures.maximumAttempts {
                var facts = try db.facts(intent.facts)
                facts.failures.add(failures)
                let decision = try intent.decide(facts)
                do {
                    for change in decision.changes { try db.apply(change) }
                    let answer = (decision.outcome, decision.occurrences)
                    return decision.isCommitted ? .keep(answer) : .undo(answer)
                } catch let failure as FailedGuard {
                    failures.add(failure)
                    try GroupCommit.undoJob(in: db)
                }
            }
            throw StoreError.contended
        }
        // On the task of the caller, so that an observer knows the request.
        for occurrence in occurrences { observer.observe(occurrence) }
        return outcome
    }
}
