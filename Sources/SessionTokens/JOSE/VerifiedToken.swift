package import Foundation

/// A compact JWS whose signature is that of the key it names. No value exists before it was verified.
///
/// Times, audience and `typ` are the caller's to check.
package struct VerifiedToken: Sendable {
    package let keyID: String
    /// The header's `typ`, which the signature covers.
    package let type: String?
    package let payload: Data

    /// Verifies the signature with the key that the token names.
    package init(_ jws: CompactJWS, key: some VerificationKey) throws(JWSError) {
        guard let keyID = jws.header.kid else { throw .malformed }
        try jws.verify(with: key)
        self.keyID = keyID
        type = jws.header.typ
        payload = jws.payload
    }

    /// The payload as claims, read strictly.
    package func claims<Claims: Decodable>(as type: Claims.Type) throws(JWSError) -> Claims {
        do {
            return try TokenJSON.decode(type, from: payload)
        } catch {
            throw .invalidClaims
        }
    }
}
