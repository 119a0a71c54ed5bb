internal import SessionTokens

/// The name of an endpoint in the names of its records, locks and device key. Different endpoints have different names.
enum EndpointName {
    /// Returns `host`, `host:port`, or `host_override+space`.
    ///
    /// In hosts any other character than letters, digits, `-`, `.`, `:`, `[` and `]` is escaped, so the separators `_` and `+`
    /// are unambiguous. Plain http is allowed for loopback only and usual there. So a name with `https:` at its start is one
    /// of https on loopback, and no other name contains the scheme.
    ///
    /// - Parameters:
    ///   - origin: As `Endpoint.origin()` returns it.
    ///   - space: As `CredentialSpace.suffix(_:)` returns it.
    static func of(origin: String, hostOverride: String?, space: String) -> String {
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        let isUnusual = origin.hasPrefix("https:") && TargetURI(origin)?.isLoopback ?? false
        return (isUnusual ? "https:" : "") + escaped(host) + (hostOverride.map { "_" + escaped($0) } ?? "") + space
    }

    private static func escaped(_ host: String) -> String {
        host.utf8.map { byte in
            FileName.isLetterOrDigit(byte) || "-.:[]".utf8.contains(byte)
                ? String(Unicode.Scalar(byte)) : FileName.escaped(byte)
        }.joined()
    }
}
