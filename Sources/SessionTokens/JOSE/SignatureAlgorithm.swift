/// The supported `alg` values (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2). All other algorithms are rejected
/// (RFC 8725 §3.1).
public enum SignatureAlgorithm: String, Sendable, CaseIterable, Codable {
    case edDSA = "EdDSA"
    /// The name of RFC 9864 for EdDSA with the curve Ed25519.
    case ed25519 = "Ed25519"
    case es256 = "ES256"
    /// Its keys are in the target `SessionRSA`, so that apps do not build RSA.
    case rs256 = "RS256"

    /// The algorithm without its spelling: `EdDSA` for both names of Ed25519. Readers compare this value, so they accept
    /// both names. Writers use the name of the key.
    public var spelledClassically: SignatureAlgorithm { self == .ed25519 ? .edDSA : self }
}

/// The elliptic curve algorithms, which `SigningKey` and `PublicJWK` support.
public enum CurveAlgorithm: Sendable, CaseIterable {
    case edDSA
    case es256

    public var signatureAlgorithm: SignatureAlgorithm {
        switch self {
        case .edDSA: .edDSA
        case .es256: .es256
        }
    }
}
