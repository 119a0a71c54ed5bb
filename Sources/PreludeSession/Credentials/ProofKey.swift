internal import Crypto
internal import Foundation
internal import SessionTokens

/// A device key with its public half as a JWK and as the header of proofs, so that it is checked, hashed and encoded once.
struct ProofKey: Sendable {
    let key: any PreludeDeviceKey
    let publicKey: PublicJWK
    let proofHeader: DPoPProofHeader

    /// - Throws: `PreludeSessionError.deviceKeyLost` for a key of another type.
    init(_ key: any PreludeDeviceKey) throws {
        guard let publicKey = try? P256.Signing.PublicKey(rawRepresentation: key.publicKey) else {
            throw PreludeSessionError.deviceKeyLost("the device key is not a P-256 key; sign in again")
        }
        self.key = key
        self.publicKey = PublicJWK(publicKey)
        proofHeader = DPoPProofHeader(publicKey: self.publicKey)
    }

    /// Whether the key has this thumbprint (RFC 7638). `nil` matches any key.
    func matches(thumbprint: String?) -> Bool { thumbprint.map { $0 == publicKey.thumbprint } ?? true }
}
