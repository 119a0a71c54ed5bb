/// The header of a proof whose signature was valid, as it was sent, and the key in it.
///
/// A device sends the same header with each proof. A checker that knows it reads neither its JSON nor its key again, which
/// costs more than all comparisons of a request.
public struct KnownProofHeader: Sendable, Equatable {
    /// The header in base64url.
    public let encoded: String
    public let key: PublicJWK

    /// - Parameter encoded: The header of a proof whose signature is valid, with this key in it.
    public init(encoded: String, key: PublicJWK) {
        self.encoded = encoded
        self.key = key
    }

    /// Whether a proof begins with exactly this header.
    func begins(_ proof: String) -> Bool { EncodedHeader.begins(proof, with: encoded) }
}
