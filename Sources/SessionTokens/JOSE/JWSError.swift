/// Why a compact JWS is rejected.
public enum JWSError: Error, Equatable {
    /// The text does not have three canonical base64url parts with a JSON header (RFC 7515 §7.1).
    case malformed
    /// `alg` is `none`, a MAC or another unsupported algorithm (RFC 8725 §3.1).
    case unsupportedAlgorithm
    /// The header has `crit`. No critical extension is supported (RFC 7515 §4.1.11).
    case criticalExtension
    /// `typ` is not the expected type (RFC 8725 §3.11).
    case wrongType
    /// The key set has no key with this `kid`.
    case unknownKey
    /// The key does not verify the signature.
    case invalidSignature
    /// The payload does not have the expected claims.
    case invalidClaims
}
