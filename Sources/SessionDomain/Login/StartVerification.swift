/// The intent to start a verification. A store performs it in one transaction:
///
/// 1. take one from the identifier's `otpStarts` counter, or stop with `.limited`;
/// 2. find the identifier's user and ask `isSuppressed`;
/// 3. insert the verification, suppressed or not.
///
/// Known, unknown and blocked identifiers take the same steps, so they take the same time.
package struct StartVerification: Sendable {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let limit: RateLimit
    package let signUp: Bool
    package let now: Timestamp
    /// Makes the row, given whether the identifier may sign in.
    package let verification: @Sendable (_ isSuppressed: Bool) -> Verification

    package init(
        appID: AppID, identifier: CanonicalIdentifier, limit: RateLimit, signUp: Bool, now: Timestamp,
        verification: @escaping @Sendable (_ isSuppressed: Bool) -> Verification
    ) {
        self.appID = appID
        self.identifier = identifier
        self.limit = limit
        self.signUp = signUp
        self.now = now
        self.verification = verification
    }

    package func isSuppressed(user: User?) -> Bool {
        guard let user else { return !signUp }
        return user.status != .active
    }
}

package enum StartVerificationOutcome: Sendable, Equatable {
    case started(Verification)
    case limited(until: Timestamp)
}
