internal import Crypto
internal import Foundation
internal import SessionTokens

/// A device key, and its public half as proofs carry it, checked and hashed once.
struct LoadedKey: Sendable {
    let key: any DeviceKey
    let publicKey: PublicJWK

    /// - Throws: `PreludeSessionError.deviceKeyLost` for a key of another kind, which signs no proof.
    init(_ key: any DeviceKey) throws {
        guard let publicKey = try? P256.Signing.PublicKey(rawRepresentation: key.publicKey) else {
            throw PreludeSessionError.deviceKeyLost("the device key is not a P-256 key")
        }
        self.key = key
        self.publicKey = PublicJWK(publicKey)
    }

    /// Whether it is the key with this thumbprint (RFC 7638); any key is, when none is named.
    func has(thumbprint: String?) -> Bool { thumbprint.map { $0 == publicKey.thumbprint } ?? true }
}
