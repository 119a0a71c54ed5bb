internal import SessionTokens

/// Why a request was refused: a name for logs and metrics, from a list that the source code contains.
package struct RefusalReason: Sendable, Hashable, CustomStringConvertible {
    package let name: String
    /// Whether the reason is about the DPoP proof of the request.
    package let isAboutProof: Bool

    private init(_ name: String, isAboutProof: Bool = false) {
        self.name = name
        self.isAboutProof = isAboutProof
    }

    package var description: String { name }

    private static func proof(_ name: String) -> RefusalReason { RefusalReason("proof_\(name)", isAboutProof: true) }

    /// A limit, by its name in events.
    package static func limit(_ name: String) -> RefusalReason { RefusalReason("limit_\(name)") }

    package static func login(_ failure: LoginFailure) -> RefusalReason { RefusalReason(failure.rawValue) }

    package static func reuse(_ reuse: RefreshTokenReuse) -> RefusalReason {
        RefusalReason("refresh_token_reused_\(reuse.rawValue)")
    }

    package static func hook(_ failure: HookFailure) -> RefusalReason { RefusalReason("hook_\(failure.rawValue)") }

    package static let forgedRefreshToken = RefusalReason("refresh_token_invalid")
    package static let endedSession = RefusalReason("session_ended")
    package static let busyHashQueue = RefusalReason("password_hash_queue_full")
    package static let busyWriteQueue = RefusalReason("write_queue_full")
}

extension RefusalReason {
    /// The reason that an error itself contains.
    package init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .missingProof: .proof("missing")
            case .invalidProof(let error): .proof(error.name)
            case .proofForOtherTarget: .proof(DPoPError.wrongTarget.name)
            case .replayedProof: .proof("replayed")
            case .proofKeyMismatch: .proof("other_key")
            case .proofNotOfChallenge: .proof("not_of_challenge")
            case .nonceRequired: .proof("nonce_required")
            case .invalidField: .init("invalid_field")
            case .invalidIdentifier: .init("invalid_identifier")
            case .invalidVerificationToken: .init("invalid_verification_token")
            case .invalidPassword: .init("invalid_new_password")
            case .passwordNotSet: .init("password_not_set")
            case .noLoginConfig: .init("no_login_config")
            case .invalidMetadata: .init("invalid_metadata")
            case .invalidStepToken: .init("invalid_step_token")
            case .invalidPaginationLimit, .invalidPaginationOffset: .init("invalid_pagination")
            case .unauthorized: .init("unauthorized")
            case .badCode: .init("wrong_code")
            case .spentCode: .init("spent_code")
            case .missingChallenge: .init("challenge_missing")
            case .invalidChallenge: .init("challenge_invalid")
            case .expiredChallenge: .init("challenge_expired")
            case .verifierMismatch: .init("wrong_verifier")
            case .challengeReused: .init("challenge_reused")
            case .refreshTokenSpent: .init("refresh_token_spent")
            case .challengeMismatch: .init("challenge_mismatch")
            case .stepNotCompleted: .init("step_not_completed")
            case .stepNotFound: .init("step_not_found")
            case .stepBypassed: .init("step_bypassed")
            case .stepUpNotConfigured: .init("step_up_not_configured")
            case .scopeNotAllowed: .init("scope_not_allowed")
            case .scopeIdentifierMismatch: .init("scope_identifier_mismatch")
            case .authBlocked: .init("scope_denied")
            case .insufficientScope: .init("insufficient_scope")
            case .forbidden: .init("forbidden")
            case .inactiveUser: .init("inactive_user")
            case .suspendedAccount: .init("suspended_account")
            case .notFound: .init("not_found")
            case .conflict: .init("conflict")
            case .identifierTaken: .init("identifier_taken")
            case .identifiersFull: .init("identifiers_full")
            case .stepUpConfigExists: .init("step_up_config_exists")
            case .rateLimited: .init("rate_limited")
            case .overloaded: .init("overloaded")
            case .unavailable: .init("unavailable")
            }
    }
}

extension DPoPError {
    /// The name in logs and metrics, in the form of the other names.
    fileprivate var name: String {
        switch self {
        case .missing: "missing"
        case .moreThanOne: "more_than_one"
        case .malformed: "malformed"
        case .wrongType: "wrong_type"
        case .unsupportedAlgorithm: "unsupported_algorithm"
        case .invalidSignature: "invalid_signature"
        case .invalidKey: "invalid_key"
        case .wrongMethod: "wrong_method"
        case .wrongTarget: "wrong_target"
        case .wrongAccessToken: "wrong_access_token"
        }
    }
}
