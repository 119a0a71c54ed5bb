package import SessionTokens

extension VerifiedToken {
    /// Verifies a token of whoever published the set.
    ///
    /// - Throws: `JWSError.unknownKey` when the set lacks the `kid`, which is a reason to fetch the set again; any other
    ///   case is a reason to refuse the token.
    package init(verifying token: String, keys: PublishedKeySet) throws(JWSError) {
        let jws = try CompactJWS(parsing: token)
        guard keys.algorithms.contains(jws.algorithm) else { throw .unsupportedAlgorithm }
        guard let keyID = jws.header.kid else { throw .malformed }
        guard let key = keys.key(id: keyID) else { throw .unknownKey }
        try self.init(jws, key: key)
    }
}
