/// The supported `alg` values (RFC 7518 §3.1, RFC 8037 §3.1). All other algorithms are rejected (RFC 8725 §3.1).
package enum SignatureAlgorithm: String, Sendable, CaseIterable, Codable {
    case edDSA = "EdDSA"
    case es256 = "ES256"
    /// Its keys are in the target `SessionRSA`, so that apps do not build RSA.
    case rs256 = "RS256"
}

/// The elliptic curve algorithms, which `SigningKey` and `PublicJWK` support.
package enum CurveAlgorithm: Sendable, CaseIterable {
    case edDSA
    case es256

    package var signatureAlgorithm: SignatureAlgorithm {
        switch self {
        case .edDSA: .edDSA
        case .es256: .es256
        }
    }
}
