internal import SessionDomain
internal import SessionSQL

/// Runs attempts in transactions of one connection: one round trip reads, and one writes and commits.
struct Transaction {
    let connection: PostgresConnection

    /// Runs one attempt until its guards hold.
    ///
    /// Locks keep others from changing what was read. So guards fail where a key is taken or a counter is at its limit, and
    /// the next attempt knows that.
    ///
    /// - Throws: A lock that does not become free. The caller tries again when others had their turn.
    func run(_ attempt: any Attempt) throws(PostgresFailure) -> @Sendable () -> Void {
        var last = PostgresFailure(.conflict, StoreError.contended.reason, isOfCaller: true)
        for _ in 0..<GuardFailures.maximumAttempts {
            do {
                return try once(attempt)
            } catch {
                guard !error.isOfConnection else { throw error }
                rollBack()
                guard !error.isOfLock else { throw error }
                switch error.kind {
                case .refused(let failure): attempt.refused(failure)
                case .conflict:
                    last = PostgresFailure(
                        .conflict, "\(StoreError.contended.reason): \(error.reason)", isOfCaller: true)
                default: throw error
                }
            }
        }
        throw last
    }

    private func once(_ attempt: any Attempt) throws(PostgresFailure) -> @Sendable () -> Void {
        let rows = try connection.run([.begin] + attempt.reading())
        let changes: AttemptChanges
        switch try decision(of: attempt, rows.dropFirst(), at: 0) {
        case .success(let decided): changes = decided
        case .failure(let error):
            rollBack()
            return attempt.failed(error)
        }
        let isCommitted = changes.isCommitted && !changes.statements.isEmpty
        _ = try connection.run(
            changes.statements + [isCommitted ? .commit : .rollback], commits: isCommitted)
        return attempt.answer()
    }

    /// Runs several attempts in one transaction. They must not concern the same session.
    ///
    /// - Returns: `nil` if each has to run on its own, because one of them was refused. Nothing is written then.
    func runTogether(_ attempts: [any Attempt]) throws(PostgresFailure) -> [@Sendable () -> Void]? {
        let readings = attempts.map { $0.reading() }
        do {
            var rows = try connection.run([.begin] + readings.flatMap(\.self)).dropFirst()
            var changes: [Statement] = []
            var answers: [@Sendable () -> Void] = []
            for (attempt, reading) in zip(attempts, readings) {
                defer { rows = rows.dropFirst(reading.count) }
                switch try decision(of: attempt, rows.prefix(reading.count), at: changes.count) {
                case .success(let decided):
                    guard decided.isCommitted else {
                        rollBack()
                        return nil
                    }
                    changes += decided.statements
                    answers.append(attempt.answer())
                case .failure(let error): answers.append(attempt.failed(error))
                }
            }
            _ = try connection.run(changes + [changes.isEmpty ? .rollback : .commit], commits: !changes.isEmpty)
            return answers
        } catch {
            guard !error.isOfConnection else { throw error }
            rollBack()
            return nil
        }
    }

    /// - Returns: The error of a decision that throws, which is for its caller.
    /// - Throws: A conflict that the rows show.
    private func decision(
        of attempt: any Attempt, _ rows: ArraySlice<Rows>, at position: Int
    ) throws(PostgresFailure) -> Result<AttemptChanges, any Error> {
        do {
            return .success(try attempt.decide(rows, at: position))
        } catch let failure as PostgresFailure {
            throw failure
        } catch {
            return .failure(error)
        }
    }

    /// A connection that is lost has no transaction any more.
    private func rollBack() { _ = try? connection.run([.rollback]) }
}

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
        plan = FactPlan(intent.reads.query, refused: refusedCounters)
        return plan.statements
    }

    func decide(_ rows: ArraySlice<Rows>, at position: Int) throws -> AttemptChanges {
        var found = try plan.found(rows)
        found.failures.add(failures)
        let decision = try intent.decide(found)
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
