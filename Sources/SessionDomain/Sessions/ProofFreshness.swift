package import SessionTokens

extension AppRuntime {
    /// Judges a checked proof's time and nonce (RFC 9449 §4.3 steps 10 and 11).
    ///
    /// A nonce of ours says by itself when the proof was made, so `iat` counts only without one; a nonce that is not
    /// ours, or no longer, is never fresh (§8).
    package func use(of proof: CheckedProof, now: Timestamp) -> ProofUse {
        let hasNonce = proof.nonce.map { nonces.end(of: $0, at: now.seconds) != nil } ?? false
        let window = Double(settings.sessions.proofWindow)
        let isInTime = abs(proof.issuedAt - Double(now.milliseconds) / 1000) <= window
        let memory = max(2 * settings.sessions.proofWindow, 2 * Int(nonces.window)) + 60
        return ProofUse(
            thumbprint: proof.thumbprint, replayKey: proof.replayKey, rememberUntil: now + memory,
            hasNonce: hasNonce, isFresh: proof.nonce == nil ? isInTime : hasNonce)
    }
}
