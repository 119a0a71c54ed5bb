/// What a token must say of itself to be taken for an access token.
public struct TokenProfile: Sendable, Hashable {
    /// The values of `typ` that are accepted, in lower case; `nil` in the set accepts a token without one.
    let types: Set<String?>
    /// Whether all claims must be there that RFC 9068 §2.2 requires.
    let isStrict: Bool

    /// RFC 9068: `typ` is `at+jwt`, and `iss`, `exp`, `aud`, `sub`, `client_id`, `iat` and `jti` are there.
    public static let accessToken = TokenProfile(types: ["at+jwt", "application/at+jwt"], isStrict: true)

    /// For services that write plain JWTs: `typ` may be `JWT` or missing, and `iss`, `exp` and `sub` are enough. An `aud`
    /// that is there must still be the right one. Such tokens are told from others by their keys alone (RFC 8725 §3.12).
    public static let plainJWT = TokenProfile(
        types: ["at+jwt", "application/at+jwt", "jwt", nil], isStrict: false)
}
