internal import SessionTokens

/// The URLs that apps use for this backend. DPoP proofs must name one of them (RFC 9449 §4.3 step 9).
struct ProtectedResources: Sendable {
    /// Without a slash at the end.
    private let texts: [String]
    /// The same as normalised origins; `nil` if one of them has a path. Their targets need no parser.
    private let origins: [String]?

    /// - Throws: `VerifierConfigurationError` for a text that is no URL, and for plain http beyond the loopback interface.
    init(_ resources: [String]) throws(VerifierConfigurationError) {
        var origins: [String] = []
        for resource in resources {
            guard let target = TargetURI(resource), !resource.contains(where: { "?#".contains($0) }) else {
                throw VerifierConfigurationError("resources", "must be URLs such as https://api.example.com")
            }
            guard target.isSafe else {
                throw VerifierConfigurationError(
                    "resources", "must be https: a token sent over plain http can be stolen")
            }
            if target.path == "/" { origins.append(target.origin) }
        }
        texts = resources.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.origins = origins.count == resources.count ? origins : nil
    }

    var isEmpty: Bool { texts.isEmpty }
    var first: String? { texts.first }

    /// The targets that the path of a request has under these URLs.
    func targets(path: String) -> [TargetURI] {
        if let origins { return TargetURI.targets(ofOrigins: origins, path: path) }
        return texts.compactMap { TargetURI(origin: $0, path: path) }
    }
}
