/// Starts a verification.
///
/// Known, unknown and blocked identifiers cause the same reads and writes, so the answer takes the same time.
package struct StartVerification: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let limit: RateLimit
    package let signUp: Bool
    package let now: Timestamp
    /// Makes the row, given the identifier that the code is sent to, and whether it may not sign in.
    package let verification: @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification

    package init(
        appID: AppID, identifier: CanonicalIdentifier, limit: RateLimit, signUp: Bool, now: Timestamp,
        verification: @escaping @Sendable (_ recipient: CanonicalIdentifier, _ isSuppressed: Bool) -> Verification
    ) {
        self.appID = appID
        self.identifier = identifier
        self.limit = limit
        self.signUp = signUp
        self.now = now
        self.verification = verification
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.counter = .init(.otpStarts(identifier), limit: limit, now: now)
            $0.user = .identifier(identifier)
        }
    }

    package func decide(_ facts: Facts) -> Decision<StartVerificationOutcome> {
        let starts = CounterKey.otpStarts(identifier)
        if let until = facts.limit(of: starts) { return Decision(.limited(until: until)) }
        // What was typed may reach another mailbox than the identifier of the user, although both compare as equal.
        let stored = facts.user?.identifiers.first { $0 == identifier }
        let started = verification(stored ?? identifier, isSuppressed(user: facts.user))
        return Decision(
            .started(started), [.count(starts, app: appID, limit: limit, now: now), .insertVerification(started)])
    }

    private func isSuppressed(user: User?) -> Bool {
        guard let user else { return !signUp }
        return user.status != .active
    }
}

package enum StartVerificationOutcome: Sendable, Equatable {
    case started(Verification)
    case limited(until: Timestamp)
}
