internal import SessionDomain

/// One intent on its way through a transaction, without its type. Only the thread of the connection uses it.
protocol Attempt: AnyObject {
    /// The statements that read the facts.
    func reading() -> [Statement]
    /// Decides.
    ///
    /// - Parameter position: The place of the first change in the transaction.
    /// - Throws: What the decision throws, for the caller.
    func decide(_ rows: ArraySlice<Rows>, at position: Int) throws -> AttemptChanges
    /// Notes a guard that has failed. The next attempt decides again.
    func refused(_ failure: FailedGuard)
    /// What to run after the transaction, to answer the caller.
    func answer() -> @Sendable () -> Void
    func failed(_ error: any Error) -> @Sendable () -> Void
}

/// What a decision writes.
struct AttemptChanges {
    let statements: [Statement]
    /// Whether they are kept. If not, they are made to check their guards.
    let isCommitted: Bool
}

/// An attempt of an intent of one type.
final class IntentAttempt<I: Intent>: Attempt {
    typealias Answer = (outcome: I.Outcome, occurrences: [Occurrence])

    private let intent: I
    private let revision: SettingsRevision
    private let resume: @Sendable (Result<Answer, any Error>) -> Void
    private var failures = GuardFailures()
    /// The counters that were at their limit in an earlier attempt.
    private var refusedCounters: [(counter: FactQuery.CounterSelector, app: AppID)] = []
    private var plan = FactPlan(FactQuery(app: nil))
    private var decided: Decision<I.Outcome>?

    /// - Parameter revision: What tells other nodes that settings have changed.
    init(_ intent: I, revision: SettingsRevision, resume: @escaping @Sendable (Result<Answer, any Error>) -> Void) {
        self.intent = intent
        self.revision = revision
        self.resume = resume
    }

    func reading() -> [Statement] {
        plan = FactPlan(intent.facts, refused: refusedCounters)
        return plan.statements
    }

    func decide(_ rows: ArraySlice<Rows>, at position: Int) throws -> AttemptChanges {
        var facts = try plan.facts(rows)
        facts.failures.add(failures)
        let decision = try intent.decide(facts)
        decided = decision
        var statements = try decision.changes.enumerated().flatMap { try $1.statements(at: position + $0) }
        // Last: all nodes change this row, and a lock lasts until the commit.
        if decision.changes.contains(where: \.changesSettings) { statements.append(revision.increase) }
        return AttemptChanges(statements: statements, isCommitted: decision.isCommitted)
    }

    func refused(_ failure: FailedGuard) {
        guard case .exhausted(let key, _) = failure else { return failures.add(failure) }
        // The next reading finds out until when.
        for case .count(key, let app, let limit, let now) in decided?.changes ?? [] {
            refusedCounters.append((FactQuery.CounterSelector(key, limit: limit, now: now), app))
        }
    }

    func answer() -> @Sendable () -> Void {
        guard let decided else { return failed(StoreError.contended) }
        let answer = (decided.outcome, decided.occurrences)
        return { [resume] in resume(.success(answer)) }
    }

    func failed(_ error: any Error) -> @Sendable () -> Void { { [resume] in resume(.failure(error)) } }
}
