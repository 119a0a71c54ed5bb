/// Why a compact JWS was refused before its content was looked at.
package enum JWSError: Error, Equatable {
    /// Not three canonical base64url parts with a JSON header (RFC 7515 §7.1).
    case malformed
    /// `alg` is `none`, a MAC, or otherwise not on the list (RFC 8725 §3.1).
    case unsupportedAlgorithm
    /// The header names critical extensions, and we know none (RFC 7515 §4.1.11).
    case criticalExtension
    /// `typ` is not the one this kind of token must have (RFC 8725 §3.11).
    case wrongType
    /// `kid` names no key of the given set.
    case unknownKey
    /// The signature does not belong to the key and the signed bytes.
    case invalidSignature
    /// The payload is not the JSON this kind of token must hold.
    case invalidClaims
}
