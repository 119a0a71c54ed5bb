/// A valid proof that a store accepts once.
package struct ProofUse: Sendable, Equatable {
    /// The window in which the service issued a proof's nonce.
    package enum NonceWindow: Sendable {
        case current, previous
    }

    /// The thumbprint of the key that signed the proof.
    package let thumbprint: String
    /// The key of the proof in replay memory (RFC 9449 §11.1).
    package let replayKey: String
    /// The time until which a replay must be recognized.
    package let rememberUntil: Timestamp
    /// The window of the proof's nonce. `nil` without a valid nonce.
    package let nonce: NonceWindow?
    /// When the current window began. A proof with a nonce of this window was made in it, whatever its `iat`.
    package let windowStart: Timestamp
    /// Whether the time or nonce of the proof is acceptable.
    package let isFresh: Bool
    /// When the proof was made, by the client's clock.
    package let issuedAt: Timestamp
    /// The hash of the attempt id, as `RotationAttempts` stores it. `nil` for clients that send none.
    package let attempt: String?

    package var hasNonce: Bool { nonce != nil }

    package init(
        thumbprint: String, replayKey: String, rememberUntil: Timestamp, nonce: NonceWindow?, windowStart: Timestamp,
        isFresh: Bool, issuedAt: Timestamp, attempt: String? = nil
    ) {
        self.thumbprint = thumbprint
        self.replayKey = replayKey
        self.rememberUntil = rememberUntil
        self.nonce = nonce
        self.windowStart = windowStart
        self.isFresh = isFresh
        self.issuedAt = issuedAt
        self.attempt = attempt
    }
}
