internal import Testing

/// A change that makes a valid access token invalid.
package struct TokenMutation: Sendable, CustomTestStringConvertible {
    /// A description of the change, with RFC and section at the end.
    package let rule: String
    /// The expected reason of the verifier.
    package let reason: String
    package let change: @Sendable (inout TokenDraft) throws -> Void

    init(_ rule: String, _ reason: String, _ change: @escaping @Sendable (inout TokenDraft) throws -> Void) {
        self.rule = rule
        self.reason = reason
        self.change = change
    }

    package var testDescription: String { rule }

    package static let all = header + claims
}
