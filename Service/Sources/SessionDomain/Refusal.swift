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
