/// Why a spent refresh token ended its session, as the event `session.refresh_token_reused` reports it.
package enum RefreshTokenReuse: String, Sendable, CaseIterable {
    /// The session is bound to a key, and the request had no proof.
    case missingProof = "missing_proof"
    /// The proof was signed by another key than the session's.
    case otherKey = "other_key"
    /// The previous token came with another attempt id than the rotation that spent it: two holders of key and token.
    case otherAttempt = "other_attempt"
    /// The previous token came without an attempt id, after the time in which its answer is repeated.
    case graceExpired = "grace_expired"
    /// The token is older than the previous one.
    case olderToken = "older_token"
}
