/// One write of the service: the rows it needs, and a pure rule that turns them into changes.
///
/// A store runs every intent in the same way, in one transaction:
///
/// 1. read the rows that `facts` names, in one round trip;
/// 2. call `decide`;
/// 3. apply the changes in order, each with its guard.
///
/// If a guard fails, the store undoes the changes and starts again, with the failed guard added to the facts.
package protocol Intent: Sendable {
    associatedtype Outcome: Sendable

    /// The rows that `decide` needs.
    var facts: FactQuery { get }

    /// Decides what to write and what to answer. Reads no clock and no store.
    ///
    /// - Throws: An error for the caller. Nothing is written.
    func decide(_ facts: Facts) throws -> Decision<Outcome>
}

/// Answers what an intent would answer now, and writes nothing.
package struct Rehearsal<I: Intent>: Intent {
    let intent: I

    package init(of intent: I) { self.intent = intent }

    package var facts: FactQuery { intent.facts }

    package func decide(_ facts: Facts) throws -> Decision<I.Outcome> {
        let decision = try intent.decide(facts)
        return .unwritten(decision.outcome, checking: decision.changes)
    }
}

/// What an intent writes, and what it answers after the commit.
package struct Decision<Outcome: Sendable>: Sendable {
    package let outcome: Outcome
    /// The changes, in the order in which they are applied.
    package let changes: [Change]
    /// Whether the changes are committed. If not, the store applies them to check their guards, and then undoes them.
    package let isCommitted: Bool

    package init(_ outcome: Outcome, _ changes: [Change] = []) {
        self.init(outcome, changes, isCommitted: true)
    }

    /// Answers without a write, but only if these changes could have been made. A failing guard comes first.
    package static func unwritten(_ outcome: Outcome, checking changes: [Change]) -> Decision {
        Decision(outcome, changes, isCommitted: false)
    }

    private init(_ outcome: Outcome, _ changes: [Change], isCommitted: Bool) {
        self.outcome = outcome
        self.changes = changes
        self.isCommitted = isCommitted
    }
}

extension Decision: Equatable where Outcome: Equatable {}

/// A store that writes. Every write of the service is one call of `perform`.
package protocol IntentStore: Sendable {
    /// Runs an intent in one transaction and returns its outcome after the commit.
    ///
    /// - Throws: What `decide` throws; `StoreError` if the write fails, or if guards fail `GuardFailures.maximumAttempts`
    ///   times.
    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome
}
