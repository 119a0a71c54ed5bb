internal import SessionTokens

/// The parsed keys of recent proofs. Parsing a key checks that its point is on the curve, which costs more than all
/// comparisons of a request.
///
/// A key is found by the thumbprint in a verified token, so only owners of tokens take places. The cache drops the keys that
/// were not used since it was last full.
actor ProofKeyCache {
    private let capacity: Int
    private var recent: [String: PublicJWK] = [:]
    private var older: [String: PublicJWK] = [:]

    /// - Parameter capacity: The cache holds at most twice that many keys, about 1 KB each.
    init(capacity: Int = 1024) {
        self.capacity = capacity
    }

    /// The key with a thumbprint (RFC 7638), if a recent proof had it.
    func key(thumbprint: String) -> PublicJWK? {
        if let key = recent[thumbprint] { return key }
        guard let key = older[thumbprint] else { return nil }
        keep(key)
        return key
    }

    /// Stores the key of a proof whose signature was valid.
    func keep(_ key: PublicJWK) {
        if recent.count >= capacity { (recent, older) = ([:], recent) }
        recent[key.thumbprint] = key
    }
}
