internal import GRDB
package import SessionDomain

@available(service, *)
extension SQLiteStore: IntentStore {
    /// Runs an intent in its savepoint of a shared transaction.
    ///
    /// The transaction holds the write lock before it reads. So no row changes between reading and writing, and guards fail
    /// only where a key is taken or a counter is at its limit.
    package func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        try await writer.perform { db in
            var failures = GuardFailures()
            for _ in 0..<GuardFailures.maximumAttempts {
                var facts = try db.facts(intent.facts)
                facts.failures.add(failures)
                let decision = try intent.decide(facts)
                do {
                    for change in decision.changes { try db.apply(change) }
                    return decision.isCommitted ? .keep(decision.outcome) : .undo(decision.outcome)
                } catch let failure as FailedGuard {
                    failures.add(failure)
                    try GroupCommit.undoJob(in: db)
                }
            }
            throw StoreError.contended
        }
    }
}
