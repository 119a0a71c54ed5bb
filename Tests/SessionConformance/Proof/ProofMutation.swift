public import SessionTokens
public import Testing

/// A change that makes a valid proof invalid.
public struct ProofMutation: Sendable, CustomTestStringConvertible {
    /// A description of the change, with RFC and section at the end.
    public let rule: String
    /// The expected error of the checker.
    public let expected: DPoPError
    public let change: @Sendable (inout ProofDraft) throws -> Void

    init(_ rule: String, _ expected: DPoPError, _ change: @escaping @Sendable (inout ProofDraft) throws -> Void) {
        self.rule = rule
        self.expected = expected
        self.change = change
    }

    public var testDescription: String { rule }

    /// The expected reason of the verifier.
    public var verifierReason: String {
        switch expected {
        case .missing, .moreThanOne: "missing_proof"
        case .malformed, .wrongType, .unsupportedAlgorithm, .invalidSignature, .invalidKey: "invalid_proof"
        case .wrongMethod: "wrong_method"
        case .wrongTarget: "wrong_target"
        case .wrongAccessToken: "wrong_access_token"
        }
    }

    /// The mutations for every request.
    public static let all = header + claims
    /// The mutations of the access token hash, for requests with an access token.
    public static let withAccessToken = [
        ProofMutation("The claim ath is the hash of another token (RFC 9449 §4.3 step 12)", .wrongAccessToken) {
            $0.claims["ath"] = .string(DPoPProof.accessTokenHash("another"))
        },
        ProofMutation("The claim ath is the token itself (RFC 9449 §4.2)", .wrongAccessToken) {
            $0.claims["ath"] = "token"
        },
        ProofMutation("The claim ath has base64 padding (RFC 9449 §4.2)", .wrongAccessToken) {
            $0.claims["ath"] = .string(($0.claims["ath"]?.stringValue ?? "") + "=")
        },
    ]
}
