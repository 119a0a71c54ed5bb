internal import SessionTokens

/// A header parameter that names or contains a key. Verifiers must not trust it (RFC 7515 §4.1, RFC 8725 §3.10).
public enum KeyHint: String, Sendable, CaseIterable {
    case jwk, jku, x5u, x5c

    /// The host of the URLs.
    private static let host = "keys.evil.example"

    func value(of key: SigningKey) -> JSONValue {
        switch self {
        case .jwk: .object(key.publicJWK.requiredMembers.mapValues(JSONValue.string))
        case .jku: .string("https://\(Self.host)/jwks.json")
        case .x5u: .string("https://\(Self.host)/chain.pem")
        // Not a certificate: verifiers must not parse it.
        case .x5c: .array([.string("MIIB")])
        }
    }
}

extension [String: JSONValue] {
    /// Names a key in all headers except `jwk`.
    mutating func name(_ key: SigningKey) {
        for hint in [KeyHint.jku, .x5u, .x5c] { self[hint.rawValue] = hint.value(of: key) }
        self["kid"] = .string(key.keyID)
    }
}
