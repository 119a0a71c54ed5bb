/// An error code of the protocol. Clients decide by the code only.
///
/// The type is open: clients keep codes that a later server version adds.
package struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral value: String) { rawValue = value }

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension ErrorCode {
    // 400
    package static let badRequest: ErrorCode = "bad_request"
    package static let invalidIdentifier: ErrorCode = "invalid_identifier"
    package static let invalidMetadata: ErrorCode = "invalid_metadata"
    package static let invalidPaginationLimit: ErrorCode = "invalid_pagination_limit"
    package static let invalidPaginationOffset: ErrorCode = "invalid_pagination_offset"
    package static let invalidVerificationToken: ErrorCode = "invalid_verification_token"
    package static let invalidPassword: ErrorCode = "invalid_password"
    package static let passwordNotSet: ErrorCode = "password_not_set"
    package static let noLoginConfig: ErrorCode = "no_login_config"
    package static let invalidDPoPProof: ErrorCode = "invalid_dpop_proof"
    package static let useDPoPNonce: ErrorCode = "use_dpop_nonce"

    // 401
    package static let unauthorized: ErrorCode = "unauthorized"
    package static let badCheckCode: ErrorCode = "bad_check_code"
    package static let missingDPoPProof: ErrorCode = "missing_dpop_proof"
    package static let dpopKeyMismatch: ErrorCode = "dpop_key_mismatch"
    package static let missingChallengeToken: ErrorCode = "missing_challenge_token"
    package static let invalidChallengeToken: ErrorCode = "invalid_challenge_token"
    package static let expiredChallengeToken: ErrorCode = "expired_challenge_token"
    package static let tokenMismatch: ErrorCode = "token_mismatch"

    // 403
    package static let forbidden: ErrorCode = "forbidden"
    package static let authBlocked: ErrorCode = "auth_blocked"
    package static let scopeNotAllowed: ErrorCode = "scope_not_allowed"
    package static let notConfigured: ErrorCode = "not_configured"
    package static let directScopeIdentifierMismatch: ErrorCode = "direct_scope_identifier_mismatch"
    package static let insufficientScope: ErrorCode = "insufficient_scope"
    package static let inactiveUser: ErrorCode = "inactive_user"
    package static let suspendedAccount: ErrorCode = "suspended_account"
    package static let invalidAPIKey: ErrorCode = "invalid_api_key"

    // 404, 409
    package static let notFound: ErrorCode = "not_found"
    package static let conflict: ErrorCode = "conflict"
    package static let stepUpConfigAlreadyExists: ErrorCode = "step_up_config_already_exists"
    package static let identifierAlreadyExists: ErrorCode = "identifier_already_exists"
    package static let tokenReused: ErrorCode = "token_reused"
    package static let stepNotCompleted: ErrorCode = "step_not_completed"
    package static let stepNotFound: ErrorCode = "step_not_found"
    package static let stepBypassed: ErrorCode = "step_bypassed"

    // 429, 5xx
    package static let rateLimited: ErrorCode = "rate_limited"
    package static let `internal`: ErrorCode = "internal"
}
