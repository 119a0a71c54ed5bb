package import SessionTokens

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

extension ProofUse {
    /// The key of the proof in a store that keeps eight bytes of each proof and its app: the first ones of `replayKey`.
    ///
    /// An attacker cannot choose the key of a proof that a client will make: its `jti` is random. So the service rejects a new
    /// proof as a used one with a chance of 2^-64 for each proof that the store remembers.
    package var shortKey: Int64 { Self.shortKey(of: replayKey) }

    /// The first eight bytes, big-endian, of a SHA-256 in base64url. Databases contain it, and compute it in SQL, so it never
    /// changes.
    package static func shortKey(of replayKey: String) -> Int64 {
        // Eleven characters have 66 bits.
        var (key, count): (UInt64, Int) = (0, 0)
        for character in replayKey.utf8.prefix(11) {
            count += 1
            let bits = UInt64(Base64URL.bits(of: character) ?? 0)
            key = count < 11 ? key << 6 | bits : key << 4 | bits >> 2
        }
        return Int64(bitPattern: key)
    }
}

extension AppRuntime {
    /// Decides whether the time or nonce of a valid proof is acceptable (RFC 9449 §4.3 steps 10 and 11).
    ///
    /// A valid nonce proves when the proof was made, so `iat` counts only without a nonce. An unknown or expired nonce
    /// is never fresh (§8).
    package func use(of proof: CheckedProof, now: Timestamp) -> ProofUse {
        let windowStart = nonces.windowStart(at: now.seconds)
        let nonceEnd = proof.nonce.flatMap { nonces.end(of: $0, at: now.seconds) }
        let window = Double(settings.sessions.proofWindow)
        let isInTime = abs(proof.issuedAt - Double(now.milliseconds) / 1000) <= window
        // Longer than a proof can be fresh, by the clock difference that housekeeping does not detect.
        let memory = max(2 * settings.sessions.proofWindow, 2 * Int(nonces.window)) + 60 + DeletionClock.tolerance
        return ProofUse(
            thumbprint: proof.thumbprint, replayKey: proof.replayKey, rememberUntil: now + memory,
            nonce: nonceEnd.map { $0 == windowStart + 2 * nonces.window ? .current : .previous },
            windowStart: Timestamp(seconds: windowStart), isFresh: proof.nonce == nil ? isInTime : nonceEnd != nil,
            issuedAt: Timestamp(milliseconds: Int64(proof.issuedAt * 1000)),
            attempt: proof.attempt.map(RotationAttempts.hash))
    }
}
