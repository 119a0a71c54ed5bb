/// The header of a token whose signature was valid, as it was sent, with its content and the key that verified it.
///
/// All tokens that a service signs with one key have the same header. A verifier that knows it reads no JSON for it.
package struct KnownTokenHeader: Sendable {
    /// The header in base64url.
    package let encoded: String
    package let keyID: String
    let type: String?
    package let key: any VerificationKey

    /// Whether a token begins with exactly this header.
    package func begins(_ token: String) -> Bool { EncodedHeader.begins(token, with: encoded) }
}
