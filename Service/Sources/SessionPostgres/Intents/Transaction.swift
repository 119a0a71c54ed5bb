internal import SessionDomain

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
