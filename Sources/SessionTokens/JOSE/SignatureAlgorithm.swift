/// The `alg` values this project signs and verifies (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// A closed list: an algorithm that is not here is refused wherever it turns up (RFC 8725 §3.1).
package enum SignatureAlgorithm: String, Sendable, CaseIterable, Codable {
    case edDSA = "EdDSA"
    case es256 = "ES256"
    /// Its keys live in a target of their own, so that apps do not build RSA.
    case rs256 = "RS256"
}

/// Those of them whose keys are points of a curve: what `SigningKey` and `PublicJWK` are made for.
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
