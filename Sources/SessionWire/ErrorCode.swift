/// An error code of the protocol. Clients decide by the code only.
///
/// The type is open: clients keep codes that a later server version adds.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension ErrorCode {
    // 400
    public static let badRequest: ErrorCode = "bad_request"
    public static let invalidIdentifier: ErrorCode = "invalid_identifier"
    public static let invalidMetadata: ErrorCode = "invalid_metadata"
    public static let invalidPaginationLimit: ErrorCode = "invalid_pagination_limit"
    public static let invalidPaginationOffset: ErrorCode = "invalid_pagination_offset"
    public static let invalidVerificationToken: ErrorCode = "invalid_verification_token"
    public static let invalidPassword: ErrorCode = "invalid_password"
    public static let passwordNotSet: ErrorCode = "password_not_set"
    public static let noLoginConfig: ErrorCode = "no_login_config"
    public static let passkeyRegistrationFailed: ErrorCode = "passkey_registration_failed"
    public static let invalidDPoPProof: ErrorCode = "invalid_dpop_proof"
    public static let useDPoPNonce: ErrorCode = "use_dpop_nonce"

    // 401
    public static let unauthorized: ErrorCode = "unauthorized"
    public static let badCheckCode: ErrorCode = "bad_check_code"
    public static let missingDPoPProof: ErrorCode = "missing_dpop_proof"
    public static let dpopKeyMismatch: ErrorCode = "dpop_key_mismatch"
    public static let missingChallengeToken: ErrorCode = "missing_challenge_token"
    public static let invalidChallengeToken: ErrorCode = "invalid_challenge_token"
    public static let expiredChallengeToken: ErrorCode = "expired_challenge_token"
    public static let tokenMismatch: ErrorCode = "token_mismatch"

    // 403
    public static let forbidden: ErrorCode = "forbidden"
    public static let authBlocked: ErrorCode = "auth_blocked"
    public static let scopeNotAllowed: ErrorCode = "scope_not_allowed"
    public static let notConfigured: ErrorCode = "not_configured"
    public static let passkeyNotConfigured: ErrorCode = "passkey_not_configured"
    public static let passkeyStepUnavailable: ErrorCode = "passkey_step_unavailable"
    public static let passkeyAuthenticatorBlocked: ErrorCode = "passkey_authenticator_blocked"
    public static let directScopeIdentifierMismatch: ErrorCode = "direct_scope_identifier_mismatch"
    public static let insufficientScope: ErrorCode = "insufficient_scope"
    public static let inactiveUser: ErrorCode = "inactive_user"
    public static let suspendedAccount: ErrorCode = "suspended_account"
    public static let invalidAPIKey: ErrorCode = "invalid_api_key"

    // 404, 409
    public static let notFound: ErrorCode = "not_found"
    public static let conflict: ErrorCode = "conflict"
    public static let stepUpConfigAlreadyExists: ErrorCode = "step_up_config_already_exists"
    public static let identifierAlreadyExists: ErrorCode = "identifier_already_exists"
    public static let tokenReused: ErrorCode = "token_reused"
    public static let stepNotCompleted: ErrorCode = "step_not_completed"
    public static let stepNotFound: ErrorCode = "step_not_found"
    public static let stepBypassed: ErrorCode = "step_bypassed"

    // 429, 5xx
    public static let rateLimited: ErrorCode = "rate_limited"
    public static let `internal`: ErrorCode = "internal"
}

/// The body of every error response of the frontend API.
public struct ErrorBody: Codable, Sendable, Equatable {
    public var code: ErrorCode
    public var type: String
    public var message: String
    public var requestID: String?
    /// The member of the request that the error is about, such as `identifier` or `metadata.note`.
    public var field: String?
    /// `true` if no code that was sent before can be accepted any more. Absent otherwise.
    public var needsNewCode: Bool?
    /// The `htu` that the proof of this request must have, if the proof has another one.
    public var expectedTarget: String?

    public init(
        code: ErrorCode, type: String, message: String, requestID: String?, field: String? = nil,
        needsNewCode: Bool? = nil, expectedTarget: String? = nil
    ) {
        self.code = code
        self.type = type
        self.message = message
        self.requestID = requestID
        self.field = field
        self.needsNewCode = needsNewCode
        self.expectedTarget = expectedTarget
    }

    private enum CodingKeys: String, CodingKey {
        case code, type, message, field
        case requestID = "request_id"
        case needsNewCode = "needs_new_code"
        case expectedTarget = "expected_htu"
    }

    /// Decodes a body. Only `code` is required, because other servers of this protocol may omit the other members, or give
    /// them another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(ErrorCode.self, forKey: .code)
        type = (try? container.decode(String.self, forKey: .type)) ?? ""
        message = (try? container.decode(String.self, forKey: .message)) ?? ""
        requestID = try? container.decode(String.self, forKey: .requestID)
        field = try? container.decode(String.self, forKey: .field)
        needsNewCode = try? container.decode(Bool.self, forKey: .needsNewCode)
        expectedTarget = try? container.decode(String.self, forKey: .expectedTarget)
    }
}
