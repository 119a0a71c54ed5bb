package import SessionTokens

/// Why the service rejects a request. One place in the HTTP layer maps each case to a status and a code.
///
/// The texts name fields and rules. They never contain a token, code, password or key.
package enum Refusal: Error, Equatable {
    case invalidField(_ field: String, _ problem: String)
    case invalidIdentifier(String)
    case invalidVerificationToken
    case invalidPassword(String)
    case passwordNotSet
    case noLoginConfig(String)
    case passkeyNotConfigured
    case passkeyRegistrationFailed(String)
    /// The model of the authenticator is not allowed.
    case passkeyAuthenticatorBlocked
    /// The scope needs a passkey, and the user has none, or the app does not use them.
    case passkeyStepUnavailable
    case invalidMetadata(String)
    /// The operator's token for a custom step is invalid.
    case invalidStepToken(String)
    case invalidPaginationLimit
    case invalidPaginationOffset(maximum: Int)

    case unauthorized
    case badCode
    /// The code is not accepted, and no code that was sent before can be: its checks are used up, or it has expired.
    case spentCode
    case missingProof
    case invalidProof(DPoPError)
    /// The proof is for another URL than this one, which configuration gives to the request.
    case proofForOtherTarget(expected: String)
    case replayedProof
    case proofKeyMismatch
    /// The proof of a step does not repeat the `jti` of its challenge token.
    case proofNotOfChallenge
    /// The proof is not fresh. The response header `DPoP-Nonce` carries this nonce for the retry.
    case nonceRequired(String)
    case missingChallenge
    case invalidChallenge
    case expiredChallenge
    case verifierMismatch
    case challengeReused
    /// A late or repeated request of the session's own device. Its refresh token was spent before; nothing has changed.
    case refreshTokenSpent
    /// The token belongs to another session, user or challenge.
    case challengeMismatch
    case stepNotCompleted
    case stepNotFound
    case stepBypassed

    /// The app has no step-up configuration.
    case stepUpNotConfigured
    case scopeNotAllowed
    /// No rule matches the user's identifiers.
    case scopeIdentifierMismatch
    /// The operator's hook did not allow the scope, or failed.
    case authBlocked
    /// The send hook of the app does not allow a code.
    /// - Parameter needsOtherType: Whether an identifier of another type may get one.
    case sendDenied(needsOtherType: Bool)
    /// The access token, or the grants of its session, lack this scope.
    case insufficientScope(String)
    case forbidden(String)
    case inactiveUser
    case suspendedAccount
    case notFound(String)
    case conflict(String)
    /// - Parameter field: The member of the request that has the identifier.
    case identifierTaken(field: String = "identifier")
    /// The user already has the maximum number of identifiers.
    case identifiersFull
    case stepUpConfigExists
    /// A rate limit is exceeded. Retry after this many seconds.
    case rateLimited(retryAfter: Int)
    /// The service is at its capacity. Retry after this many seconds.
    case overloaded(retryAfter: Int)
    /// A dependency of the service does not respond.
    case unavailable(String)
}

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
        case passkeyNotConfigured = "passkey_not_configured"
        case passkeyRegistrationFailed = "passkey_registration_failed"
        case passkeyAuthenticatorBlocked = "passkey_authenticator_blocked"
        case passkeyStepUnavailable = "passkey_step_unavailable"
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

extension RefusalReason {
    /// The reason that an error itself contains.
    package init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .missingProof: .proof(.missing)
            case .invalidProof(let error): .proof(Proof(error))
            case .proofForOtherTarget: .proof(.wrongTarget)
            case .replayedProof: .proof(.replayed)
            case .proofKeyMismatch: .proof(.otherKey)
            case .proofNotOfChallenge: .proof(.notOfChallenge)
            case .nonceRequired: .proof(.nonceRequired)
            case .badCode: .login(.wrongCode)
            case .verifierMismatch: .login(.wrongVerifier)
            case .inactiveUser: .login(.inactiveUser)
            case .invalidField: .other(.invalidField)
            case .invalidIdentifier: .other(.invalidIdentifier)
            case .invalidVerificationToken: .other(.invalidVerificationToken)
            case .invalidPassword: .other(.invalidNewPassword)
            case .passwordNotSet: .other(.passwordNotSet)
            case .noLoginConfig: .other(.noLoginConfig)
            case .passkeyNotConfigured: .other(.passkeyNotConfigured)
            case .passkeyRegistrationFailed: .other(.passkeyRegistrationFailed)
            case .passkeyAuthenticatorBlocked: .other(.passkeyAuthenticatorBlocked)
            case .passkeyStepUnavailable: .other(.passkeyStepUnavailable)
            case .invalidMetadata: .other(.invalidMetadata)
            case .invalidStepToken: .other(.invalidStepToken)
            case .invalidPaginationLimit, .invalidPaginationOffset: .other(.invalidPagination)
            case .unauthorized: .other(.unauthorized)
            case .spentCode: .other(.spentCode)
            case .missingChallenge: .other(.challengeMissing)
            case .invalidChallenge: .other(.challengeInvalid)
            case .expiredChallenge: .other(.challengeExpired)
            case .challengeReused: .other(.challengeReused)
            case .refreshTokenSpent: .other(.refreshTokenSpent)
            case .challengeMismatch: .other(.challengeMismatch)
            case .stepNotCompleted: .other(.stepNotCompleted)
            case .stepNotFound: .other(.stepNotFound)
            case .stepBypassed: .other(.stepBypassed)
            case .stepUpNotConfigured: .other(.stepUpNotConfigured)
            case .scopeNotAllowed: .other(.scopeNotAllowed)
            case .scopeIdentifierMismatch: .other(.scopeIdentifierMismatch)
            case .authBlocked: .other(.scopeDenied)
            case .sendDenied(let needsOtherType): .login(needsOtherType ? .otherChannel : .sendDenied)
            case .insufficientScope: .other(.insufficientScope)
            case .forbidden: .other(.forbidden)
            case .suspendedAccount: .other(.suspendedAccount)
            case .notFound: .other(.notFound)
            case .conflict: .other(.conflict)
            case .identifierTaken: .other(.identifierTaken)
            case .identifiersFull: .other(.identifiersFull)
            case .stepUpConfigExists: .other(.stepUpConfigExists)
            case .rateLimited: .other(.rateLimited)
            case .overloaded: .other(.overloaded)
            case .unavailable: .other(.unavailable)
            }
    }
}

extension RefusalReason.Proof {
    fileprivate init(_ error: DPoPError) {
        self =
            switch error {
            case .missing: .missing
            case .moreThanOne: .moreThanOne
            case .malformed: .malformed
            case .wrongType: .wrongType
            case .unsupportedAlgorithm: .unsupportedAlgorithm
            case .invalidSignature: .invalidSignature
            case .invalidKey: .invalidKey
            case .wrongMethod: .wrongMethod
            case .wrongTarget: .wrongTarget
            case .wrongAccessToken: .wrongAccessToken
            }
    }
}

/// Why a spent refresh token ended its session, as the event `session.refresh_token_reused` reports it.
package enum RefreshTokenReuse: String, Sendable, CaseIterable {
    /// The session is bound to a key, and the request had no proof.
    case missingProof = "missing_proof"
    /// The proof was signed by another key than the session's.
    case otherKey = "other_key"
    /// The previous token came with another attempt id than the rotation that spent it: two holders of key and token.
    case otherAttempt = "other_attempt"
    /// The previous token came without an attempt id, after the time in which its answer is repeated.
    case graceExpired = "grace_expired"
    /// The token is older than the previous one.
    case olderToken = "older_token"
}
