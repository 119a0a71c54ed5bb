package import SessionTokens
internal import Testing

/// One thing that makes a valid proof invalid, with the rule that it breaks.
package struct ProofMutation: Sendable, CustomTestStringConvertible {
    /// The rule, which begins with its RFC and section.
    package let rule: String
    /// What the checker says.
    package let expected: DPoPError
    package let change: @Sendable (inout ProofDraft) throws -> Void

    init(_ rule: String, _ expected: DPoPError, _ change: @escaping @Sendable (inout ProofDraft) throws -> Void) {
        self.rule = rule
        self.expected = expected
        self.change = change
    }

    package var testDescription: String { rule }

    /// The reason that the verifier for backends gives.
    package var verifierReason: String {
        switch expected {
        case .missing, .moreThanOne: "missing_proof"
        case .malformed, .wrongType, .unsupportedAlgorithm, .invalidSignature, .invalidKey: "invalid_proof"
        case .wrongMethod: "wrong_method"
        case .wrongTarget: "wrong_target"
        case .wrongAccessToken: "wrong_access_token"
        }
    }

    /// All that break a rule for any request.
    package static let all = header + claims
    /// Those that break the binding to an access token, for requests that carry one.
    package static let withAccessToken = [
        ProofMutation("RFC 9449 §4.3 step 12: ath is the hash of another token", .wrongAccessToken) {
            $0.claims["ath"] = .string(DPoPProof.accessTokenHash("another"))
        },
        ProofMutation("RFC 9449 §4.2: ath is the token itself", .wrongAccessToken) { $0.claims["ath"] = "token" },
        ProofMutation("RFC 9449 §4.2: ath has padding", .wrongAccessToken) {
            $0.claims["ath"] = .string(($0.claims["ath"]?.stringValue ?? "") + "=")
        },
    ]
}
