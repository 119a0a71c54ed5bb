internal import SessionTokens

/// Signs in with a code.
///
/// Every attempt is counted, and no answer is given before the count is committed.
package struct CheckCode: Intent {
    package let appID: AppID
    package let tokenHash: String
    /// Keyed hashes of the entered code, one for each server key that may have made the stored hash.
    package let codeHashes: [String]
    package let limits: OTPLimits
    package let signUp: Bool
    /// The id of the user that is created if no user has the identifier.
    package let newUserID: String
    package let now: Timestamp
    package let events: EventFactory

    package init(
        appID: AppID, tokenHash: String, codeHashes: [String], limits: OTPLimits, signUp: Bool, newUserID: String,
        now: Timestamp, events: EventFactory
    ) {
        self.appID = appID
        self.tokenHash = tokenHash
        self.codeHashes = codeHashes
        self.limits = limits
        self.signUp = signUp
        self.newUserID = newUserID
        self.now = now
        self.events = events
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.verification = .tokenHash(tokenHash)
            $0.user = .ofVerification(now: now, maximumChecks: limits.checksPerCode)
        }
    }

    package func decide(_ facts: Facts) -> Decision<CheckCodeOutcome> {
        let checked: Verification
        switch precheck(facts.verification) {
        case .stop(let outcome): return Decision(outcome)
        case .count(let next): checked = next
        }
        guard let current = facts.verification else { return Decision(.unknown) }
        let failures = CounterKey.otpFailedChecks(current.identifier)
        if let until = facts.limit(of: failures) { return Decision(.limited(until: until)) }
        let counted = Change.count(failures, app: appID, limit: limits.failedChecks, now: now)
        guard isRight(checked) else {
            return Decision(.wrong, [counted, .replaceVerification(current, with: checked)])
        }
        // The identifier is proven. Its count of failures starts again.
        let spent = [counted, .deleteVerification(current), .clearCounter(failures, app: appID)]
        if let user = facts.user {
            let isProven = user.identifiers.contains { $0.isStored(as: checked.identifier) }
            return Decision(isProven && user.status == .active ? .right(checked, user, isNew: false) : .wrong, spent)
        }
        guard signUp else { return Decision(.wrong, spent) }
        let user = newUser(for: checked)
        let created = Change.insertions(of: user) + [.append(events.userCreated(user))]
        return Decision(.right(checked, user, isNew: true), spent + created)
    }

    /// Decides whether an attempt counts: the verification must be running and must have attempts left.
    package func precheck(_ current: Verification?) -> CodePrecheck {
        guard let current, current.appID == appID else { return .stop(.unknown) }
        guard current.codeExpiresAt > now, current.checks < limits.checksPerCode else { return .stop(.wrong) }
        var next = current
        next.checks += 1
        return .count(next)
    }

    /// Compares in constant time. A suppressed verification takes as long and is never right.
    package func isRight(_ verification: Verification) -> Bool {
        let matches = codeHashes.map { ConstantTime.equal($0, verification.codeHash) }.contains(true)
        return matches && !verification.isSuppressed
    }

    package func newUser(for verification: Verification) -> User {
        User(id: newUserID, appID: appID, identifiers: [verification.identifier], createdAt: now)
    }
}

package enum CodePrecheck: Sendable, Equatable {
    /// Count the attempt: store this verification.
    case count(Verification)
    case stop(CheckCodeOutcome)
}

package enum CheckCodeOutcome: Sendable, Equatable {
    case right(Verification, User, isNew: Bool)
    case wrong
    case limited(until: Timestamp)
    case unknown
}
