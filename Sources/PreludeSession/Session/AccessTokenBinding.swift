internal import SessionTokens

/// An access token, and what its requests need to know about it: whether it is a bearer token or bound to a key (RFC 9449
/// §6.1).
///
/// The token's own `cnf` claim decides. It travels with the token through records of every version. The value is computed
/// once for a token, because each request needs it.
struct AccessTokenBinding: Sendable {
    let accessToken: String
    /// The RFC 7638 thumbprint of the key that the token is bound to; `nil` for a bearer token.
    let keyThumbprint: String?
    /// The `Authorization` value of the token's kind (RFC 6750 §2.1, RFC 9449 §7.1).
    let authorization: String
    /// The hash of the token in proofs (RFC 9449 §4.2).
    let hash: String

    init(_ accessToken: String) {
        self.accessToken = accessToken
        keyThumbprint = Self.keyThumbprint(of: accessToken)
        authorization = (keyThumbprint == nil ? "Bearer " : "DPoP ") + accessToken
        hash = DPoPProof.accessTokenHash(accessToken)
    }

    var isBound: Bool { keyThumbprint != nil }

    private static func keyThumbprint(of accessToken: String) -> String? {
        guard let claims = try? JWT.unverifiedClaims(of: accessToken), case .object(let confirmation) = claims["cnf"]
        else { return nil }
        return confirmation["jkt"]?.stringValue
    }

    /// Whether the `token_type` of a response matches its token. A token of an unknown type must not be used (RFC 6749
    /// §7.1). Servers with one type only may send none.
    static func matches(tokenType: String?, accessToken: String) -> Bool {
        guard let tokenType else { return true }
        return tokenType.lowercased() == (keyThumbprint(of: accessToken) == nil ? "bearer" : "dpop")
    }
}
