package import SessionTokens

extension KeyRing {
    /// Generates a signing key and seals it for storage.
    package func makeSigningKey(
        app: AppID, purpose: StoredSigningKey.Purpose, algorithm: SignatureAlgorithm, at time: Timestamp
    ) throws -> StoredSigningKey {
        let key = SigningKey.generate(algorithm)
        return StoredSigningKey(
            appID: app, purpose: purpose, keyID: key.keyID, algorithm: algorithm,
            sealedPrivateKey: try seal(key.rawRepresentation, context: Self.context(app, purpose, key.keyID)),
            createdAt: time)
    }

    /// Opens a stored signing key; fails when it was sealed for another app or purpose.
    package func open(_ stored: StoredSigningKey) throws -> SigningKey {
        let secret = try open(
            stored.sealedPrivateKey, context: Self.context(stored.appID, stored.purpose, stored.keyID))
        guard let key = SigningKey(algorithm: stored.algorithm, rawRepresentation: secret), key.keyID == stored.keyID
        else { throw KeyRingError.cannotOpen }
        return key
    }

    private static func context(_ app: AppID, _ purpose: StoredSigningKey.Purpose, _ keyID: String) -> String {
        "\(app)/\(purpose.rawValue)/\(keyID)"
    }
}
