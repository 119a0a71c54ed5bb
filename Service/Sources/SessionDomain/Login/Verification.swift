/// A running OTP verification: codes that were sent to an identifier.
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
    /// The newest code.
    package var code: IssuedCode
    /// The code before it, which is accepted until its own expiry.
    package var previousCode: IssuedCode?
    /// Attempts made, at both codes together.
    package var checks: Int
    /// Messages so far.
    package var sends: Int
    /// Who paid for these messages: one for each message and network.
    package var payers: [Payer]
    package var lastSentAt: Timestamp
    package let createdAt: Timestamp

    /// A network that paid for a message.
    package struct Payer: Sendable, Equatable {
        /// `CountedNetwork.digest`.
        package let network: String
        /// The end of the window that counted the message.
        package let until: Timestamp

        package init(network: String, until: Timestamp) {
            self.network = network
            self.until = until
        }

        /// The form in both stores: `network/seconds`, separated by spaces. No digest has either character.
        package static func text(_ payers: [Payer]) -> String {
            payers.map { "\($0.network)/\($0.until.seconds)" }.joined(separator: " ")
        }

        package static func all(in text: String) -> [Payer] {
            text.split(separator: " ").compactMap { payer in
                let parts = payer.split(separator: "/")
                guard parts.count == 2, let seconds = Int64(parts[1]) else { return nil }
                return Payer(network: String(parts[0]), until: Timestamp(seconds: seconds))
            }
        }
    }

    package init(
        tokenHash: String, appID: AppID, identifier: CanonicalIdentifier, loginConfigID: String,
        codeChallenge: String?, isSuppressed: Bool = false, code: IssuedCode, previousCode: IssuedCode? = nil,
        checks: Int = 0, sends: Int = 1, payers: [Payer] = [], lastSentAt: Timestamp, createdAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.appID = appID
        self.identifier = identifier
        self.loginConfigID = loginConfigID
        self.codeChallenge = codeChallenge
        self.isSuppressed = isSuppressed
        self.code = code
        self.previousCode = previousCode
        self.checks = checks
        self.sends = sends
        self.payers = payers
        self.lastSentAt = lastSentAt
        self.createdAt = createdAt
    }

    /// When the verification ends. Its code may have expired before, and then another one can be sent.
    package func expiresAt(_ limits: OTPLimits) -> Timestamp {
        isAnswered ? code.expiresAt : max(code.expiresAt, createdAt + limits.verificationLifetime)
    }

    /// Whether the right code was checked, in a login with a `code_challenge`. The code is not sent again, so its seed is gone.
    package var isAnswered: Bool { codeChallenge != nil && code.seed == nil }

    /// When the right code was checked first. `nil` before.
    package var answeredAt: Timestamp? { isAnswered ? code.expiresAt - ChallengeClaims.lifetime : nil }

    /// The verification after its right code, if the login has a `code_challenge`: the answer may be lost. It lives as long as
    /// the challenge, and accepts only the code that was right. Finalize deletes it.
    package func answered(with right: IssuedCode, at now: Timestamp) -> Verification {
        if isAnswered { return self }
        var next = self
        next.code = IssuedCode(hash: right.hash, seed: nil, expiresAt: now + ChallengeClaims.lifetime)
        next.previousCode = nil
        return next
    }

    /// The codes that are accepted at this time: at most two.
    package func validCodes(at now: Timestamp) -> [IssuedCode] {
        [code, previousCode].compactMap { $0 }.filter { $0.expiresAt > now }
    }

    /// The verification after another message.
    ///
    /// The message has the same code while half of the code's life is left, so that messages that overtake each other
    /// contain the same. Later it has a new code, and the old one is accepted beside it. Attempts count for both together.
    /// If no attempts are left or both codes have expired, they are void, and the new one begins with all its attempts.
    package func resent(_ new: IssuedCode, limits: OTPLimits, at now: Timestamp) -> Verification {
        var next = self
        next.sends += 1
        next.lastSentAt = now
        let isUsable = checks < limits.checksPerCode && code.expiresAt > now
        let life = code.expiresAt.milliseconds - now.milliseconds
        if isUsable, code.seed != nil, 2 * life >= Int64(limits.codeLifetime) * 1000 { return next }
        next.code = new
        next.previousCode = isUsable ? code.superseded : nil
        if !isUsable { next.checks = 0 }
        return next
    }
}
