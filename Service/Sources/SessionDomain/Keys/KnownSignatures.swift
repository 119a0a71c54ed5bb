internal import Crypto
internal import Foundation
internal import SessionTokens

/// The last signatures that one key has verified or made. A client shows the same token again and again, and a challenge
/// token returns to the process that issued it. To find it here costs a hash; to verify Ed25519 costs a million instructions.
///
/// An entry is the SHA-256 of a signature and its message. So only the same signature of the same message is known. Each key
/// has its own entries, and they end with it. Whether the app still has the key, and the audience and times of the token, are
/// checked with each use.
final class KnownSignatures: Sendable {
    /// The most entries of a key, with 32 bytes each.
    static let capacity = 256

    private let entries = RecentValues<SHA256Digest, Void>(capacity: capacity)

    fileprivate static func entry(_ signature: Data, _ message: Data) -> SHA256Digest {
        var hash = SHA256()
        // Without the length, a byte could move from the message to the signature, and the pair would still be known.
        withUnsafeBytes(of: signature.count) { hash.update(bufferPointer: $0) }
        hash.update(data: signature)
        hash.update(data: message)
        return hash.finalize()
    }

    fileprivate func contains(_ entry: SHA256Digest) -> Bool { entries.value(for: entry) != nil }

    fileprivate func insert(_ entry: SHA256Digest) { entries.keep((), for: entry) }
}

extension OpenedSigningKey {
    /// The same key, which verifies a signature once.
    ///
    /// - Parameter includingOwn: Whether the signatures that this process makes are known, too.
    func rememberingSignatures(includingOwn: Bool) -> OpenedSigningKey {
        let known = KnownSignatures()
        return OpenedSigningKey(
            signer: includingOwn ? RememberingSigner(signer: signer, known: known) : signer,
            publicKey: RememberingVerifier(key: publicKey, known: known))
    }
}

private struct RememberingVerifier: VerificationKey {
    let key: any VerificationKey
    let known: KnownSignatures

    var algorithm: SignatureAlgorithm { key.algorithm }
    var thumbprint: String { key.thumbprint }
    var requiredMembers: [String: String] { key.requiredMembers }

    func isValidSignature(_ signature: Data, for message: Data) -> Bool {
        let entry = KnownSignatures.entry(signature, message)
        if known.contains(entry) { return true }
        guard key.isValidSignature(signature, for: message) else { return false }
        known.insert(entry)
        return true
    }
}

private struct RememberingSigner: TokenSigner {
    let signer: any TokenSigner
    let known: KnownSignatures

    var keyID: String { signer.keyID }
    var algorithm: SignatureAlgorithm { signer.algorithm }

    func signature(for message: Data) throws -> Data {
        let signature = try signer.signature(for: message)
        known.insert(KnownSignatures.entry(signature, message))
        return signature
    }
}
