internal import SessionTokens

/// The headers of recent proofs, with their keys, so that they are not read again.
///
/// A header is found by the thumbprint in a verified token, so only owners of tokens take places. The cache drops the headers
/// that were not used since it was last full.
actor ProofHeaderCache {
    private let capacity: Int
    private var recent: [String: KnownProofHeader] = [:]
    private var older: [String: KnownProofHeader] = [:]

    /// - Parameter capacity: The cache holds at most twice that many headers, about 1.5 KB each.
    init(capacity: Int = 1024) {
        self.capacity = capacity
    }

    /// The header with a key of this thumbprint (RFC 7638), if a recent proof had it.
    func header(thumbprint: String) -> KnownProofHeader? {
        if let header = recent[thumbprint] { return header }
        guard let header = older[thumbprint] else { return nil }
        keep(header)
        return header
    }

    /// Stores the header of a proof whose signature was valid.
    func keep(_ header: KnownProofHeader) {
        if recent.count >= capacity { (recent, older) = ([:], recent) }
        recent[header.key.thumbprint] = header
    }
}
