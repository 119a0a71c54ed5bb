public import SessionTokens

extension VerifiedToken {
    /// Verifies a token with the keys of the set.
    ///
    /// - Throws: `JWSError.unknownKey` if the set does not contain the `kid`: fetch the set again. On any other error,
    ///   reject the token.
    public init(verifying token: String, keys: PublishedKeySet) throws(JWSError) {
        let jws = try CompactJWS(parsing: token)
        guard keys.algorithms.contains(jws.algorithm) else { throw .unsupportedAlgorithm }
        guard let keyID = jws.header.kid else { throw .malformed }
        guard let key = keys.key(id: keyID) else { throw .unknownKey }
        try self.init(jws, key: key)
    }
}
