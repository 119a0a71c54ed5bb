/// The `typ` values that distinguish the types of tokens (RFC 8725 §3.11).
public enum TokenType {
    /// Access tokens (RFC 9068 §2.1).
    public static let accessToken = "at+jwt"
    /// DPoP proofs (RFC 9449 §4.2).
    public static let dpopProof = "dpop+jwt"
    /// Challenge tokens: the result of a login method, exchanged for a session.
    public static let challenge = "challenge+jwt"
}
