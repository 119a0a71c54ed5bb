internal import Testing

/// One thing that makes a valid access token invalid, with the rule that it breaks.
package struct TokenMutation: Sendable, CustomTestStringConvertible {
    /// The rule, which begins with its RFC and section.
    package let rule: String
    /// The reason that the verifier gives.
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
