package import SessionTokens

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
