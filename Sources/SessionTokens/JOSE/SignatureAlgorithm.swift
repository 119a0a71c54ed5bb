/// The `alg` values this project signs and verifies (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// A closed list: an algorithm that is not here is refused wherever it turns up (RFC 8725 §3.1).
package enum SignatureAlgorithm: String, Sendable, CaseIterable, Codable {
    case edDSA = "EdDSA"
    case es256 = "ES256"
}
