/// The intent to try a password. A store takes one from the identifier's `passwordTries` counter and, if it may, reads
/// the user with the stored hash, in one transaction: counted before comparing.
package struct BeginPasswordTry: Sendable {
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
}

package enum BeginPasswordTryOutcome: Sendable, Equatable {
    /// Nobody has this address: hash all the same.
    case unknown
    /// The hash is `nil` for a user without a password.
    case found(User, passwordHash: String?)
    case limited(until: Timestamp)
}
