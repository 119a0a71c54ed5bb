/// Why a request was refused: the same name in the log and in metrics.
///
/// All names are known when the program is built, so a metric can have each of them from the start.
package enum RefusalReason: Sendable, Hashable, CustomStringConvertible {
    case proof(Proof)
    case limit(LimitName)
    case login(LoginFailure)
    case reuse(RefreshTokenReuse)
    case hook(HookFailure)
    case other(Other)

    package static let all =
        Proof.allCases.map(RefusalReason.proof) + LimitName.allCases.map(RefusalReason.limit)
        + LoginFailure.allCases.map(RefusalReason.login) + RefreshTokenReuse.allCases.map(RefusalReason.reuse)
        + HookFailure.allCases.map(RefusalReason.hook) + Other.allCases.map(RefusalReason.other)

    package var name: String {
        switch self {
        case .proof(let proof): "proof_\(proof.rawValue)"
        case .limit(let limit): "limit_\(limit.rawValue)"
        case .login(let failure): failure.rawValue
        case .reuse(let reuse): "refresh_token_reused_\(reuse.rawValue)"
        case .hook(let failure): "hook_\(failure.rawValue)"
        case .other(let other): other.rawValue
        }
    }

    /// Whether the reason is about the DPoP proof of the request.
    package var isAboutProof: Bool { if case .proof = self { true } else { false } }

    package var description: String { name }

    /// What is wrong with the DPoP proof of a request.
    package enum Proof: String, Sendable, CaseIterable {
        case missing
        case moreThanOne = "more_than_one"
        case malformed
        case wrongType = "wrong_type"
        case unsupportedAlgorithm = "unsupported_algorithm"
        case invalidSignature = "invalid_signature"
        case invalidKey = "invalid_key"
        case wrongMethod = "wrong_method"
        case wrongTarget = "wrong_target"
        case wrongAccessToken = "wrong_access_token"
        case replayed
        case otherKey = "other_key"
        case notOfChallenge = "not_of_challenge"
        case nonceRequired = "nonce_required"
    }

    package enum Other: String, Sendable, CaseIterable {
        case invalidField = "invalid_field"
        case invalidIdentifier = "invalid_identifier"
        case invalidVerificationToken = "invalid_verification_token"
        case invalidNewPassword = "invalid_new_password"
        case passwordNotSet = "password_not_set"
        case noLoginConfig = "no_login_config"
        case invalidMetadata = "invalid_metadata"
        case invalidStepToken = "invalid_step_token"
        case invalidPagination = "invalid_pagination"
        case unauthorized
        case spentCode = "spent_code"
        case challengeMissing = "challenge_missing"
        case challengeInvalid = "challenge_invalid"
        case challengeExpired = "challenge_expired"
        case challengeReused = "challenge_reused"
        case challengeMismatch = "challenge_mismatch"
        case refreshTokenInvalid = "refresh_token_invalid"
        case refreshTokenSpent = "refresh_token_spent"
        case sessionEnded = "session_ended"
        case stepNotCompleted = "step_not_completed"
        case stepNotFound = "step_not_found"
        case stepBypassed = "step_bypassed"
        case stepUpNotConfigured = "step_up_not_configured"
        case scopeNotAllowed = "scope_not_allowed"
        case scopeIdentifierMismatch = "scope_identifier_mismatch"
        case scopeDenied = "scope_denied"
        case insufficientScope = "insufficient_scope"
        case forbidden
        case suspendedAccount = "suspended_account"
        case notFound = "not_found"
        case conflict
        case identifierTaken = "identifier_taken"
        case identifiersFull = "identifiers_full"
        case stepUpConfigExists = "step_up_config_exists"
        case rateLimited = "rate_limited"
        case overloaded
        case unavailable
        case passwordHashQueueFull = "password_hash_queue_full"
        case writeQueueFull = "write_queue_full"

        // What no rule of the service decides.
        case noSuchEndpoint = "no_such_endpoint"
        case invalidRequest = "invalid_request"
        case bodyTooLarge = "body_too_large"
        case headersTooLarge = "headers_too_large"
        case unsupportedMediaType = "unsupported_media_type"
        case databaseUnavailable = "database_unavailable"
        /// Other calls changed the same rows for as long as this one could wait.
        case rowsInUse = "rows_in_use"
        case internalError = "internal_error"
        /// The request took too long to arrive.
        case tooSlow = "too_slow"
        /// The service had too many connections.
        case tooManyConnections = "too_many_connections"
        /// The service had too many requests in work.
        case tooManyRequests = "too_many_requests"
        /// A health check: the service is not ready.
        case notReady = "not_ready"
    }
}
