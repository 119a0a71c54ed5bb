public import Testing

/// A change that makes a valid access token invalid.
public struct TokenMutation: Sendable, CustomTestStringConvertible {
    /// A description of the change, with RFC and section at the end.
    public let rule: String
    /// The expected reason of the verifier.
    public let reason: String
    public let change: @Sendable (inout TokenDraft) throws -> Void

    init(_ rule: String, _ reason: String, _ change: @escaping @Sendable (inout TokenDraft) throws -> Void) {
        self.rule = rule
        self.reason = reason
        self.change = change
    }

    public var testDescription: String { rule }

    public static let all = header + claims
}
