internal import Foundation
internal import SessionRSA
package import SessionTokens

/// A signing key that was opened: the half that signs, and the half that everybody may see.
package struct OpenedSigningKey: Sendable {
    package let signer: any TokenSigner
    package let publicKey: any VerificationKey
}

extension KeyRing {
    /// Generates a signing key and seals it for storage.
    package func makeSigningKey(
        app: AppID, purpose: StoredSigningKey.Purpose, algorithm: SignatureAlgorithm, at time: Timestamp
    ) throws -> StoredSigningKey {
        let (keyID, secret) = try Self.generate(algorithm)
        return StoredSigningKey(
            appID: app, purpose: purpose, keyID: keyID, algorithm: algorithm,
            sealedPrivateKey: try seal(secret, context: Self.context(app, purpose, keyID)), createdAt: time)
    }

    /// Opens a stored signing key; fails when it was sealed for another app or purpose.
    package func open(_ stored: StoredSigningKey) throws -> OpenedSigningKey {
        let secret = try open(
            stored.sealedPrivateKey, context: Self.context(stored.appID, stored.purpose, stored.keyID))
        guard let key = Self.read(secret, algorithm: stored.algorithm), key.signer.keyID == stored.keyID
        else { throw KeyRingError.cannotOpen }
        return key
    }

    /// A new private key in the form that `read` takes, and its thumbprint.
    private static func generate(_ algorithm: SignatureAlgorithm) throws -> (keyID: String, secret: Data) {
        switch algorithm {
        case .edDSA, .es256:
            let key = SigningKey.generate(algorithm == .es256 ? .es256 : .edDSA)
            return (key.keyID, key.rawRepresentation)
        case .rs256:
            let key = try RSASigningKey.generate()
            return (key.keyID, key.derRepresentation)
        }
    }

    private static func read(_ secret: Data, algorithm: SignatureAlgorithm) -> OpenedSigningKey? {
        switch algorithm {
        case .edDSA, .es256:
            SigningKey(algorithm: algorithm == .es256 ? .es256 : .edDSA, rawRepresentation: secret)
                .map { OpenedSigningKey(signer: $0, publicKey: $0.publicJWK) }
        case .rs256:
            (try? RSASigningKey(derRepresentation: secret)).map(RS256SigningKey.init)
                .map { OpenedSigningKey(signer: $0, publicKey: $0.publicKey) }
        }
    }

    private static func context(_ app: AppID, _ purpose: StoredSigningKey.Purpose, _ keyID: String) -> String {
        "\(app)/\(purpose.rawValue)/\(keyID)"
    }
}
