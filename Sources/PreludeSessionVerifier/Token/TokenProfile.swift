/// The `typ` and the claims that a token must have to be accepted as an access token.
public struct TokenProfile: Sendable, Hashable {
    /// The accepted values of `typ` in lower case. `nil` accepts a token without `typ`.
    let types: Set<String?>
    /// Whether all claims that RFC 9068 §2.2 requires must be present.
    let isStrict: Bool

    /// RFC 9068: `typ` is `at+jwt`, and `iss`, `exp`, `aud`, `sub`, `client_id`, `iat` and `jti` are present.
    public static let accessToken = TokenProfile(types: ["at+jwt", "application/at+jwt"], isStrict: true)

    /// For services that issue plain JWTs: `typ` may be `JWT` or missing, and only `iss`, `exp` and `sub` are required.
    ///
    /// If `aud` is present, it must contain the audience. Only the key separates these tokens from other tokens of the
    /// service, so that key must not sign other tokens (RFC 8725 §3.12).
    public static let plainJWT = TokenProfile(
        types: ["at+jwt", "application/at+jwt", "jwt", nil], isStrict: false)
}
