/// One write of the service: the rows it needs, and a pure rule that turns them into changes.
///
/// A store runs every intent in the same way, in one transaction:
///
/// 1. read the rows that `reads` names, in one round trip;
/// 2. call `decide`;
/// 3. apply the changes in order, each with its guard.
///
/// If a guard fails, the store undoes the changes and starts again, with the failed guard added to the facts.
package protocol Intent: Sendable {
    /// What `decide` gets: a value of one fact, or a struct of several.
    associatedtype Facts: Sendable
    associatedtype Outcome: Sendable
    /// `Never` for an intent that always decides.
    associatedtype Failure: Error

    /// The rows that `decide` needs.
    var reads: Read<Facts> { get }

    /// Decides what to write and what to answer. Reads no clock and no store.
    ///
    /// - Throws: An error for the caller. Nothing is written.
    func decide(_ facts: Facts) throws(Failure) -> Decision<Outcome>
}

extension Intent {
    /// Decides with what a store found.
    package func decide(_ rows: FoundRows) throws(Failure) -> Decision<Outcome> { try decide(reads.facts(in: rows)) }
}

/// Answers what an intent would answer now, and writes nothing.
package struct Rehearsal<I: Intent>: Intent {
    let intent: I

    package init(of intent: I) { self.intent = intent }

    package var reads: Read<I.Facts> { intent.reads }

    package func decide(_ facts: I.Facts) throws(I.Failure) -> Decision<I.Outcome> {
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

/// The rows that a `FactQuery` asked for, as they are stored. What was not asked for, or does not exist, is `nil` or empty.
/// A store fills it, and `Read` gives each intent its part.
package struct FoundRows: Sendable {
    package var settings: App?
    package var challenge: StepUpChallenge?
    package var session: Session?
    package var verification: Verification?
    package var user: User?
    package var passwordHash: String?
    /// What the device of the budget is at the identifier of the budget.
    package var deviceStanding = KnownDevice.Standing.stranger
    /// Ordered by id.
    package var grants: [Grant] = []
    /// Oldest first.
    package var passkeys: [Passkey] = []
    /// Ordered by id.
    package var liveSessions: [Session] = []
    /// Used last first.
    package var surplusSessions: [Session] = []
    /// Newest first.
    package var unredeemedChallenges: [StepUpChallenge] = []
    /// Each user once.
    package var owners: [User] = []
    /// The last to sign first.
    package var signingKeys: [StoredSigningKey] = []
    /// Oldest first.
    package var managementKeys: [ManagementKey] = []
    package var apps: [App] = []
    package var webhook: Webhook?
    package var webhookCount = 0
    /// Longest due first.
    package var dueDeliveries: [WebhookDelivery] = []
    package var message: QueuedMessage?
    /// The guards that failed in earlier attempts of the same intent.
    package var failures = GuardFailures()

    package init() {}

    package init(_ fill: (inout FoundRows) throws -> Void) rethrows { try fill(&self) }
}

/// A key that at most one row may have. All but management keys are unique within one app.
package enum UniqueKey: Hashable, Sendable {
    /// The replay key of a DPoP proof.
    case proof(String)
    /// Something that is redeemed once: the `jti` of a challenge token, or of an operator's step token.
    case redemption(String)
    case identifier(CanonicalIdentifier)
    case externalID(String)
    /// The credential id of a passkey.
    case passkey(String)
    case app(AppID)
    case managementKey(hash: String)
}

/// Why a change was not applied. A store throws it to itself, and starts the intent again.
package enum FailedGuard: Error, Equatable {
    /// The row must be new, but another row has this key.
    case taken(UniqueKey)
    /// The counter has reached its limit until this time.
    case exhausted(CounterKey, until: Timestamp)
    /// The row is not as the intent read it.
    case stale
}

/// The guards that failed in earlier attempts of one intent.
package struct GuardFailures: Sendable, Equatable {
    /// Attempts per intent. One more failure is an error.
    package static let maximumAttempts = 8

    package private(set) var taken: Set<UniqueKey> = []
    package private(set) var exhausted: [CounterKey: Timestamp] = [:]

    package init(_ failures: FailedGuard...) {
        for failure in failures { add(failure) }
    }

    /// Whether another row has this key.
    package func isTaken(_ key: UniqueKey) -> Bool { taken.contains(key) }

    /// The time until which a counter is at its limit; `nil` if it is not.
    package func limit(of key: CounterKey) -> Timestamp? { exhausted[key] }

    package mutating func add(_ other: GuardFailures) {
        taken.formUnion(other.taken)
        exhausted.merge(other.exhausted) { _, latest in latest }
    }

    package mutating func add(_ failure: FailedGuard) {
        switch failure {
        case .taken(let key): taken.insert(key)
        case .exhausted(let key, let until): exhausted[key] = until
        case .stale: break
        }
    }
}
