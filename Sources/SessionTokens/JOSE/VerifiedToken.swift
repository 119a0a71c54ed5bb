package import Foundation

/// A compact JWS with a verified signature. The only initializer verifies it.
///
/// The caller must check times, audience and `typ`.
package struct VerifiedToken: Sendable {
    package let keyID: String
    /// The `typ` of the signed header.
    package let type: String?
    package let payload: Data

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - jws: The parsed token.
    ///   - key: The key with the token's `kid`.
    /// - Throws: `.malformed` if the token has no `kid`, `.unsupportedAlgorithm`, `.invalidSignature`.
    package init(_ jws: CompactJWS, key: some VerificationKey) throws(JWSError) {
        guard let keyID = jws.header.kid else { throw .malformed }
        try jws.verify(with: key)
        self.keyID = keyID
        type = jws.header.typ
        payload = jws.payload
    }

    /// Decodes the claims strictly.
    package func claims<Claims: Decodable>(as type: Claims.Type) throws(JWSError) -> Claims {
        do {
            return try TokenJSON.decode(type, from: payload)
        } catch {
            throw .invalidClaims
        }
    }
}
