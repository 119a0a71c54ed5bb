internal import SessionTokens

/// Whether an access token is a bearer token or bound to a key (RFC 9449 §6.1).
///
/// The token's own `cnf` claim decides. It travels with the token through records of every version.
enum AccessTokenBinding {
    /// The RFC 7638 thumbprint of the key that the token is bound to; `nil` for a bearer token.
    static func keyThumbprint(of accessToken: String) -> String? {
        guard let claims = try? JWT.unverifiedClaims(of: accessToken), case .object(let confirmation) = claims["cnf"]
        else { return nil }
        return confirmation["jkt"]?.stringValue
    }

    static func isBound(_ accessToken: String) -> Bool { keyThumbprint(of: accessToken) != nil }

    /// The `Authorization` value of the token's kind (RFC 6750 §2.1, RFC 9449 §7.1).
    static func authorization(_ accessToken: String) -> String {
        (isBound(accessToken) ? "DPoP " : "Bearer ") + accessToken
    }

    /// Whether the `token_type` of a response matches its token. A token of an unknown type must not be used (RFC 6749
    /// §7.1). Servers with one type only may send none.
    static func matches(tokenType: String?, accessToken: String) -> Bool {
        guard let tokenType else { return true }
        return tokenType.lowercased() == (isBound(accessToken) ? "dpop" : "bearer")
    }
}
