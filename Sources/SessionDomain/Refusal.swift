package import SessionTokens

/// Why the service says no. One place in the HTTP layer maps each to a status and a code.
///
/// The texts name fields and rules; none ever holds a token, a code, a password or a key.
package enum Refusal: Error, Equatable {
    case invalidField(_ field: String, _ problem: String)
    case invalidIdentifier(String)
    case invalidVerificationToken
    case invalidPassword(String)
    case passwordNotSet
    case noLoginConfig(String)
    case invalidMetadata(String)
    /// The operator's token for a custom step is not good.
    case invalidStepToken(String)
    case invalidPaginationLimit
    case invalidPaginationOffset

    case unauthorized
    case badCode
    case missingProof
    case invalidProof(DPoPError)
    case replayedProof
    case proofKeyMismatch
    /// The proof of a step must repeat the `jti` of its challenge token.
    case proofNotOfChallenge
    /// The proof is not fresh; the nonce to try again with travels in `DPoP-Nonce`.
    case nonceRequired(String)
    case missingChallenge
    case invalidChallenge
    case expiredChallenge
    case verifierMismatch
    case challengeReused
    /// The token belongs to another session, user or challenge.
    case challengeMismatch
    case stepNotCompleted
    case stepNotFound
    case stepBypassed

    /// The app has no step-up configuration.
    case stepUpNotConfigured
    case scopeNotAllowed
    /// No rule fits the identifiers that the user has.
    case scopeIdentifierMismatch
    /// The operator's hook could not say yes: fail closed.
    case authBlocked
    /// The access token, or what is granted to its session, lacks this scope.
    case insufficientScope(String)
    case forbidden(String)
    case inactiveUser
    case suspendedAccount
    case notFound(String)
    case conflict(String)
    case identifierTaken
    /// The user has as many identifiers as a user can have.
    case identifiersFull
    case stepUpConfigExists
    /// Too much of something; try again after that many seconds.
    case rateLimited(retryAfter: Int)
    /// The service is at its limit; try again after that many seconds.
    case overloaded(retryAfter: Int)
    /// Something that the service depends on does not answer.
    case unavailable(String)
}
