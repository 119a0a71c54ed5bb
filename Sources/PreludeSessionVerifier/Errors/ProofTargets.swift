internal import SessionTokens

/// The URL that a proof names, and the one that it must name: they differ if a proxy changes the path, or if a resource of
/// the verifier is not the URL that clients call.
///
/// Both are normalised and have no query. The client chose the first one, so limit how often you log it.
public struct ProofTargets: Sendable, Equatable, CustomStringConvertible {
    /// The URL of the proof; `nil` if it is not a valid URL of at most 256 bytes.
    public let claimed: String?
    /// The verifier's first resource with the path of the request; `nil` if that is not a path.
    public let expected: String?

    init(claimed: TargetURI?, expected: TargetURI?) {
        self.claimed = claimed?.absoluteString
        self.expected = expected?.absoluteString
    }

    /// Both URLs on one line.
    public var description: String { "claimed=\(claimed ?? "none") expected=\(expected ?? "none")" }
}
