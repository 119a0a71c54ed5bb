/// A running OTP verification: a code that was sent to an identifier.
package struct Verification: Sendable, Equatable {
    /// SHA-256 of the verification token, in base64url. The token itself is not stored.
    package let tokenHash: String
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    /// The login configuration that sends the code. Empty for a step of a step-up.
    package let loginConfigID: String
    /// PKCE challenge that finalize must answer (RFC 7636).
    package let codeChallenge: String?
    /// No code is sent and none is accepted: the identifier may not sign in, and the caller must not learn that.
    package let isSuppressed: Bool
    /// Keyed hash of the code.
    package var codeHash: String
    package var codeExpiresAt: Timestamp
    /// Attempts made at this code.
    package var checks: Int
    /// Codes sent so far.
    package var sends: Int
    package var lastSentAt: Timestamp
    package let createdAt: Timestamp

    package init(
        tokenHash: String, appID: AppID, identifier: CanonicalIdentifier, loginConfigID: String,
        codeChallenge: String?, isSuppressed: Bool = false, codeHash: String, codeExpiresAt: Timestamp,
        checks: Int = 0, sends: Int = 1, lastSentAt: Timestamp, createdAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.appID = appID
        self.identifier = identifier
        self.loginConfigID = loginConfigID
        self.codeChallenge = codeChallenge
        self.isSuppressed = isSuppressed
        self.codeHash = codeHash
        self.codeExpiresAt = codeExpiresAt
        self.checks = checks
        self.sends = sends
        self.lastSentAt = lastSentAt
        self.createdAt = createdAt
    }
}
