import HTTPTypes
import Hummingbird
package import SessionDomain
import SessionWire

/// How a refusal looks on the wire.
struct WireRefusal: Sendable, Equatable {
    let status: HTTPResponse.Status
    let code: ErrorCode
    let message: String
    var retryAfter: Int?
    var nonce: String?
}

extension Refusal {
    /// What callers are told.
    package var message: String { WireRefusal(self).message }
}

extension WireRefusal {
    /// The one table from what went wrong to status and code. What is not in it is an internal error without details.
    init(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = Self.mapping(refusal)
        case let error as HTTPError: self = Self.mapping(error)
        case StoreError.overloaded: self = Self.busy(retryAfter: 1)
        default: self = Self(status: .internalServerError, code: .internal, message: "something went wrong here")
        }
    }

    private static func mapping(_ refusal: Refusal) -> WireRefusal {
        switch refusal {
        case .invalidField(let field, let problem): .init(.badRequest, .badRequest, "\(field) \(problem)")
        case .invalidIdentifier(let message): .init(.badRequest, .invalidIdentifier, message)
        case .invalidVerificationToken:
            .init(.badRequest, .invalidVerificationToken, "no verification runs under this token; start again")
        case .invalidPassword(let message): .init(.badRequest, .invalidPassword, message)
        case .passwordNotSet: .init(.badRequest, .passwordNotSet, "the user has no password")
        case .noLoginConfig(let message): .init(.badRequest, .noLoginConfig, message)
        case .invalidMetadata(let message): .init(.badRequest, .invalidMetadata, message)
        case .invalidStepToken(let problem):
            .init(.badRequest, .invalidVerificationToken, "verification_token \(problem)")
        case .invalidPaginationLimit:
            .init(.badRequest, .invalidPaginationLimit, "limit must be a number from 1 to 100")
        case .invalidPaginationOffset:
            .init(.badRequest, .invalidPaginationOffset, "offset must be a number of 0 or more")
        case .unauthorized: .init(.unauthorized, .unauthorized, "the credentials are not valid, or no longer")
        case .badCode: .init(.unauthorized, .badCheckCode, "the code is wrong or expired")
        case .missingProof: .init(.unauthorized, .missingDPoPProof, "a DPoP proof is required")
        case .invalidProof(let error): .init(.badRequest, .invalidDPoPProof, "the DPoP proof is refused: \(error)")
        case .replayedProof: .init(.badRequest, .invalidDPoPProof, "the DPoP proof was used before")
        case .proofKeyMismatch:
            .init(.unauthorized, .dpopKeyMismatch, "the DPoP proof is by another key than the session's")
        case .proofNotOfChallenge:
            .init(.badRequest, .invalidDPoPProof, "the DPoP proof must have the jti of challenge_token")
        case .nonceRequired(let nonce):
            .init(.badRequest, .useDPoPNonce, "the DPoP proof needs the nonce in DPoP-Nonce", nonce: nonce)
        case .missingChallenge: .init(.unauthorized, .missingChallengeToken, "challenge_token is missing")
        case .invalidChallenge: .init(.unauthorized, .invalidChallengeToken, "challenge_token is not valid")
        case .expiredChallenge: .init(.unauthorized, .expiredChallengeToken, "challenge_token has expired; start again")
        case .verifierMismatch:
            .init(.unauthorized, .tokenMismatch, "code_verifier does not answer the code_challenge of this login")
        case .challengeReused: .init(.conflict, .tokenReused, "challenge_token was redeemed before")
        case .stepNotCompleted: .init(.conflict, .stepNotCompleted, "the challenge has steps left")
        case .challengeMismatch:
            .init(.unauthorized, .tokenMismatch, "the token belongs to another session, user or challenge")
        case .stepNotFound: .init(.conflict, .stepNotFound, "the challenge has no such step to do")
        case .stepBypassed: .init(.conflict, .stepBypassed, "another step comes first")
        case .stepUpNotConfigured: .init(.forbidden, .notConfigured, "step-up is not configured")
        case .scopeNotAllowed: .init(.forbidden, .scopeNotAllowed, "the scope is not registered or not allowed")
        case .scopeIdentifierMismatch:
            .init(.forbidden, .directScopeIdentifierMismatch, "the user has no identifier that the scope asks for")
        case .authBlocked: .init(.forbidden, .authBlocked, "the scope is denied")
        case .insufficientScope(let scope): .init(.forbidden, .insufficientScope, "the scope \(scope) is required")
        case .forbidden(let message): .init(.forbidden, .forbidden, message)
        case .inactiveUser: .init(.forbidden, .inactiveUser, "the user is not active")
        case .suspendedAccount: .init(.forbidden, .suspendedAccount, "the user is suspended")
        case .notFound(let message): .init(.notFound, .notFound, message)
        case .conflict(let message): .init(.conflict, .conflict, message)
        case .identifierTaken:
            .init(.conflict, .identifierAlreadyExists, "another user of the app has this identifier")
        case .identifiersFull:
            .init(.conflict, .conflict, "the user has \(User.maximumIdentifiers) identifiers, the most one can have")
        case .stepUpConfigExists:
            .init(.conflict, .stepUpConfigAlreadyExists, "step-up is configured already; PUT replaces it")
        case .rateLimited(let seconds):
            .init(.tooManyRequests, .rateLimited, "too many tries; try again later", retryAfter: seconds)
        case .overloaded(let seconds): busy(retryAfter: seconds)
        case .unavailable(let message): .init(.serviceUnavailable, .internal, message, retryAfter: 5)
        }
    }

    private static func mapping(_ error: HTTPError) -> WireRefusal {
        switch error.status {
        case .notFound, .methodNotAllowed: .init(.notFound, .notFound, "there is no such endpoint")
        case .contentTooLarge: .init(.contentTooLarge, .badRequest, "the body is larger than 64 KiB")
        case .unsupportedMediaType:
            .init(.unsupportedMediaType, .badRequest, "Content-Type must be application/json")
        case .requestHeaderFieldsTooLarge:
            .init(.requestHeaderFieldsTooLarge, .badRequest, "the headers are larger than 16 KiB")
        case let status where status.kind == .clientError: .init(status, .badRequest, "the request is not valid")
        default: .init(.internalServerError, .internal, "something went wrong here")
        }
    }

    private static func busy(retryAfter: Int) -> WireRefusal {
        .init(.tooManyRequests, .rateLimited, "the service is busy; try again", retryAfter: retryAfter)
    }

    private init(
        _ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String, retryAfter: Int? = nil,
        nonce: String? = nil
    ) {
        self.init(status: status, code: code, message: message, retryAfter: retryAfter, nonce: nonce)
    }
}
