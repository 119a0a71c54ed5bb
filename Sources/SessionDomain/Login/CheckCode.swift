internal import SessionTokens

/// The intent to sign in with a code. A store performs it in one transaction:
///
/// 1. read the verification and ask `precheck`; stop unless it says `.count`;
/// 2. take one from the identifier's `otpFailedChecks` counter (`.limited` when it is used up) and write the row with
///    one check more: the try is counted before anything is compared;
/// 3. `isRight`: if not, keep what was counted and answer `.wrong`;
/// 4. if right: delete the verification, clear the counter, read the identifier's user or insert `newUser` with its
///    events. A user who is not active now is `.wrong` too.
package struct CheckCode: Sendable {
    package let appID: AppID
    package let tokenHash: String
    /// Keyed hashes of the code entered, one for each server key that may have made the stored one.
    package let codeHashes: [String]
    package let limits: OTPLimits
    package let signUp: Bool
    /// Who the identifier becomes if nobody has it yet.
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

    package func precheck(_ current: Verification?) -> CodePrecheck {
        guard let current, current.appID == appID else { return .stop(.unknown) }
        guard current.codeExpiresAt > now, current.checks < limits.checksPerCode else { return .stop(.wrong) }
        var next = current
        next.checks += 1
        return .count(next)
    }

    /// Compares in constant time; a suppressed verification takes as long and is never right.
    package func isRight(_ verification: Verification) -> Bool {
        let matches = codeHashes.map { ConstantTime.equal($0, verification.codeHash) }.contains(true)
        return matches && !verification.isSuppressed
    }

    package func newUser(for verification: Verification) -> User {
        User(id: newUserID, appID: appID, identifiers: [verification.identifier], createdAt: now)
    }
}

package enum CodePrecheck: Sendable, Equatable {
    /// Go on, with this row to write back.
    case count(Verification)
    case stop(CheckCodeOutcome)
}

package enum CheckCodeOutcome: Sendable, Equatable {
    case right(Verification, User, isNew: Bool)
    case wrong
    case limited(until: Timestamp)
    case unknown
}
