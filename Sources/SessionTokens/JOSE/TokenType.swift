/// The `typ` values that keep kinds of tokens apart (RFC 8725 §3.11).
package enum TokenType {
    /// Access tokens (RFC 9068 §2.1).
    package static let accessToken = "at+jwt"
    /// DPoP proofs (RFC 9449 §4.2).
    package static let dpopProof = "dpop+jwt"
    /// Challenge tokens, which lead from a login method to a session; never an access token.
    package static let challenge = "challenge+jwt"
}
