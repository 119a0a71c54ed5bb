internal import Foundation
package import SessionRSA
package import SessionTokens

/// An opened signing key: its private and its public half.
package struct OpenedSigningKey: Sendable {
    package let signer: any TokenSigner
    package let publicKey: any VerificationKey
}

extension KeyRing {
    /// Generates a signing key and seals it for storage. RSA takes some tenths of a second: call it on `KeyGenerationQueue`.
    package func makeSigningKey(
        app: AppID, purpose: StoredSigningKey.Purpose, algorithm: KeyAlgorithm, at time: Timestamp,
        generateRSAKey: () throws -> RSASigningKey = RSASigningKey.generate
    ) throws -> StoredSigningKey {
        let (keyID, secret) = try Self.generate(algorithm, generateRSAKey)
        return StoredSigningKey(
            appID: app, purpose: purpose, keyID: keyID, algorithm: algorithm,
            sealedPrivateKey: try seal(secret, context: Self.context(app, purpose, keyID)), createdAt: time)
    }

    /// Opens a key that signs tokens.
    ///
    /// - Throws: `KeyRingError` if it was sealed for another app or purpose, or if its master key is missing.
    package func open(_ stored: StoredSigningKey) throws -> OpenedSigningKey {
        let secret = try privateKey(of: stored)
        guard let key = Self.read(secret, algorithm: stored.algorithm), key.signer.keyID == stored.keyID
        else { throw KeyRingError.cannotOpen }
        return key
    }

    /// Opens a key that signs hooks and webhooks.
    func openHookKey(_ stored: StoredSigningKey) throws -> RSASigningKey {
        let key = try RSASigningKey(derRepresentation: try privateKey(of: stored))
        guard stored.purpose == .hook, key.keyID == stored.keyID else { throw KeyRingError.cannotOpen }
        return key
    }

    /// Returns the key sealed with the current master key, or `nil` if it already is.
    func resealed(_ stored: StoredSigningKey) throws -> StoredSigningKey? {
        guard MasterKey.id(ofKeyThatSealed: stored.sealedPrivateKey) != currentID else { return nil }
        var key = stored
        key.sealedPrivateKey = try seal(
            try privateKey(of: stored), context: Self.context(stored.appID, stored.purpose, stored.keyID))
        return key
    }

    private func privateKey(of stored: StoredSigningKey) throws -> Data {
        try open(stored.sealedPrivateKey, context: Self.context(stored.appID, stored.purpose, stored.keyID))
    }

    /// Generates a private key; returns it in the form that `read` takes, with its thumbprint.
    private static func generate(
        _ algorithm: KeyAlgorithm, _ generateRSAKey: () throws -> RSASigningKey
    ) throws -> (keyID: String, secret: Data) {
        switch algorithm {
        case .edDSA, .ed25519, .es256:
            let key = SigningKey.generate(algorithm == .es256 ? .es256 : .edDSA)
            return (key.keyID, key.rawRepresentation)
        case .rs256, .ps256:
            let key = try generateRSAKey()
            return (key.keyID, key.derRepresentation)
        }
    }

    private static func read(_ secret: Data, algorithm: KeyAlgorithm) -> OpenedSigningKey? {
        switch algorithm {
        case .edDSA, .ed25519, .es256:
            SigningKey(algorithm: algorithm == .es256 ? .es256 : .edDSA, rawRepresentation: secret)
                .map { algorithm == .ed25519 ? $0.fullySpecified() : $0 }
                .map { OpenedSigningKey(signer: $0, publicKey: $0.publicJWK) }
        case .rs256:
            (try? RSASigningKey(derRepresentation: secret)).map(RS256SigningKey.init)
                .map { OpenedSigningKey(signer: $0, publicKey: $0.publicKey) }
        case .ps256: nil
        }
    }

    private static func context(_ app: AppID, _ purpose: StoredSigningKey.Purpose, _ keyID: String) -> String {
        "\(app)/\(purpose.rawValue)/\(keyID)"
    }
}
