/// The `typ` values that distinguish the types of tokens (RFC 8725 §3.11).
package enum TokenType {
    /// Access tokens (RFC 9068 §2.1).
    package static let accessToken = "at+jwt"
    /// DPoP proofs (RFC 9449 §4.2).
    package static let dpopProof = "dpop+jwt"
    /// Challenge tokens: the result of a login method, exchanged for a session.
    package static let challenge = "challenge+jwt"
}
