internal import SessionTokens

/// What an access token is good with: by itself, or with a proof by one key only (RFC 9449 §6.1).
///
/// The token's own `cnf` says it. It goes wherever the token goes, through records of every version, so there is nothing
/// beside it to keep or to contradict it.
enum AccessTokenBinding {
    /// RFC 7638 thumbprint of the key that the token is bound to; `nil` for a bearer token.
    static func keyThumbprint(of accessToken: String) -> String? {
        guard let claims = try? JWT.unverifiedClaims(of: accessToken), case .object(let confirmation) = claims["cnf"]
        else { return nil }
        return confirmation["jkt"]?.stringValue
    }

    static func isBound(_ accessToken: String) -> Bool { keyThumbprint(of: accessToken) != nil }

    /// The scheme is the token's kind (RFC 6750 §2.1, RFC 9449 §7.1).
    static func authorization(_ accessToken: String) -> String {
        (isBound(accessToken) ? "DPoP " : "Bearer ") + accessToken
    }

    /// Whether the `token_type` of an answer says the same as its token. A token of a kind that we do not know must not
    /// be used (RFC 6749 §7.1); servers that know one kind only name none.
    static func agrees(with tokenType: String?, _ accessToken: String) -> Bool {
        guard let tokenType else { return true }
        return tokenType.lowercased() == (isBound(accessToken) ? "dpop" : "bearer")
    }
}
