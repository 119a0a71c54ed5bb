/// The header of a token whose signature was valid, as it was sent, with its content and the key that verified it.
///
/// All tokens that a service signs with one key have the same header. A verifier that knows it reads no JSON for it.
public struct KnownTokenHeader: Sendable {
    /// The header in base64url.
    public let encoded: String
    public let keyID: String
    let type: String?
    public let key: any VerificationKey

    /// Whether a token begins with exactly this header.
    public func begins(_ token: String) -> Bool { EncodedHeader.begins(token, with: encoded) }
}
