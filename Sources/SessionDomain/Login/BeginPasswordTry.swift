/// Counts an attempt to sign in with a password, before the password is compared, and reads the stored hash.
package struct BeginPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let limit: RateLimit
    package let now: Timestamp

    package init(appID: AppID, identifier: CanonicalIdentifier, limit: RateLimit, now: Timestamp) {
        self.appID = appID
        self.identifier = identifier
        self.limit = limit
        self.now = now
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.counter = .init(.passwordTries(identifier), limit: limit, now: now)
            $0.user = .identifier(identifier)
            $0.passwordHash = true
        }
    }

    package func decide(_ facts: Facts) -> Decision<BeginPasswordTryOutcome> {
        let tries = CounterKey.passwordTries(identifier)
        if let until = facts.limit(of: tries) { return Decision(.limited(until: until)) }
        let counted = Change.count(tries, app: appID, limit: limit, now: now)
        guard let user = facts.user else { return Decision(.unknown, [counted]) }
        return Decision(.found(user, passwordHash: facts.passwordHash), [counted])
    }
}

package enum BeginPasswordTryOutcome: Sendable, Equatable {
    /// No user has this identifier. The caller still computes a hash, so that the response takes the same time.
    case unknown
    /// The hash is `nil` for a user without a password.
    case found(User, passwordHash: String?)
    case limited(until: Timestamp)
}
