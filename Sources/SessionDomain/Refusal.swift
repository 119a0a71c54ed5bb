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
    case invalidPaginationLimit
    case invalidPaginationOffset

    case unauthorized
    case badCode
    case missingProof
    case invalidProof(DPoPError)
    case replayedProof
    case proofKeyMismatch
    /// The proof is not fresh; the nonce to try again with travels in `DPoP-Nonce`.
    case nonceRequired(String)
    case missingChallenge
    case invalidChallenge
    case expiredChallenge
    case verifierMismatch
    case challengeReused
    case stepNotCompleted

    case forbidden(String)
    case inactiveUser
    case suspendedAccount
    case notFound(String)
    case conflict(String)
    case identifierTaken
    /// Too much of something; try again after that many seconds.
    case rateLimited(retryAfter: Int)
    /// The service is at its limit; try again after that many seconds.
    case overloaded(retryAfter: Int)
}
