internal import SessionTokens

/// What a header may say about the key that signed, and nobody should believe (RFC 7515 §4.1, RFC 8725 §3.10).
package enum KeyHint: String, Sendable, CaseIterable {
    case jwk, jku, x5u, x5c

    /// Where a hint leads that is an address.
    private static let host = "keys.evil.example"

    func value(of key: SigningKey) -> JSONValue {
        switch self {
        case .jwk: .object(key.publicJWK.requiredMembers.mapValues(JSONValue.string))
        case .jku: .string("https://\(Self.host)/jwks.json")
        case .x5u: .string("https://\(Self.host)/chain.pem")
        // No certificate, but nobody should get as far as to notice.
        case .x5c: .array([.string("MIIB")])
        }
    }
}

extension [String: JSONValue] {
    /// Names a key in every way but by itself.
    mutating func name(_ key: SigningKey) {
        for hint in [KeyHint.jku, .x5u, .x5c] { self[hint.rawValue] = hint.value(of: key) }
        self["kid"] = .string(key.keyID)
    }
}
