public import Foundation

/// A compact JWS with a verified signature. All initializers verify it.
///
/// The caller must check times, audience and `typ`.
public struct VerifiedToken: Sendable {
    public let keyID: String
    /// The `typ` of the signed header.
    public let type: String?
    public let payload: Data

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - jws: The parsed token.
    ///   - key: The key with the token's `kid`.
    /// - Throws: `.malformed` if the token has no `kid`, `.unsupportedAlgorithm`, `.invalidSignature`.
    public init(_ jws: CompactJWS, key: some VerificationKey) throws(JWSError) {
        guard let keyID = jws.header.kid else { throw .malformed }
        try jws.verify(with: key)
        self.keyID = keyID
        type = jws.header.typ
        payload = jws.payload
    }

    /// Verifies the signature of a token that begins with a known header.
    ///
    /// - Throws: `.malformed` if it does not begin with it or is no compact JWS, `.invalidSignature`.
    public init(_ text: String, known: KnownTokenHeader) throws(JWSError) {
        guard known.begins(text) else { throw .malformed }
        let parts = try CompactParts(text, decodingHeader: false)
        guard known.key.isValidSignature(parts.signature, for: parts.signingInput) else { throw .invalidSignature }
        keyID = known.keyID
        type = known.type
        payload = parts.payload
    }

    /// The header of this token, to be known from now on. `nil` if it is too long.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - key: The key that verified it.
    public func knownHeader(of text: String, key: any VerificationKey) -> KnownTokenHeader? {
        EncodedHeader.text(of: text).map { KnownTokenHeader(encoded: $0, keyID: keyID, type: type, key: key) }
    }

    /// Decodes the claims strictly.
    public func claims<Claims: Decodable>(as type: Claims.Type) throws(JWSError) -> Claims {
        do {
            return try TokenJSON.decode(type, from: payload)
        } catch {
            throw .invalidClaims
        }
    }
}
