package import Foundation
package import SessionTokens

/// A compact JWS that was signed with a key of its issuer's published set.
///
/// A value exists only after its signature was verified. Times, audience and `typ` are the caller's to check.
package struct VerifiedToken: Sendable {
    package let keyID: String
    /// The header's `typ`, which the signature covers.
    package let type: String?
    package let payload: Data

    /// Verifies header, key and signature, in this order.
    ///
    /// - Throws: `JWSError.unknownKey` when the set lacks the `kid`, which is a reason to fetch the set again; any other
    ///   case is a reason to refuse the token.
    package init(verifying token: String, keys: PublishedKeySet) throws(JWSError) {
        let unverified = try UnverifiedToken(token, algorithms: keys.algorithms)
        guard let key = keys.key(id: unverified.keyID) else { throw .unknownKey }
        try self.init(unverified, key: key)
    }

    /// Verifies the signature with the key that the token names.
    package init(_ token: UnverifiedToken, key: some VerificationKey) throws(JWSError) {
        // The key says what it verifies; the header only has to agree (RFC 8725 §3.1).
        guard key.algorithm == token.algorithm else { throw .unsupportedAlgorithm }
        guard key.isValidSignature(token.parts.signature, for: token.parts.signingInput) else {
            throw .invalidSignature
        }
        keyID = token.keyID
        type = token.type
        payload = token.parts.payload
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
