/// A checked proof on its way into a store, where its first use wins.
package struct ProofUse: Sendable, Equatable {
    /// The thumbprint of the key that signed.
    package let thumbprint: String
    /// Names the proof in replay memory (RFC 9449 §11.1).
    package let replayKey: String
    /// Until when a repeat must be recognised.
    package let rememberUntil: Timestamp
    package let hasNonce: Bool
    /// Whether the proof's time or nonce is acceptable in itself.
    package let isFresh: Bool

    package init(thumbprint: String, replayKey: String, rememberUntil: Timestamp, hasNonce: Bool, isFresh: Bool) {
        self.thumbprint = thumbprint
        self.replayKey = replayKey
        self.rememberUntil = rememberUntil
        self.hasNonce = hasNonce
        self.isFresh = isFresh
    }
}
