package import HTTPTypes
import Hummingbird
import Logging
package import SessionDomain
import SessionWire

/// The status, code and message of an error response.
package struct WireRefusal: Sendable, Equatable {
    package let status: HTTPResponse.Status
    let code: ErrorCode
    package let message: String
    package var retryAfter: Int?
    var nonce: String?
    /// The member of the request that the error is about.
    package var field: String?
    /// Whether no code that was sent before can be accepted any more.
    var needsNewCode = false
    /// The `htu` that the proof of the request must have.
    var expectedTarget: String?
}

extension Refusal {
    /// The text that clients receive.
    package var message: String { WireRefusal(self).message }
}

extension WireRefusal {
    /// Maps every error to its response. Other errors than these become `internal` without details.
    package init(_ error: any Error) {
        switch error {
        case let refusal as Refusal:
            self = Self.mapping(refusal)
            field = refusal.field
        case let error as HTTPError: self = Self.mapping(error)
        case StoreError.overloaded: self = Self.busy(retryAfter: 1)
        case let error as StoreError where error.isOfCaller:
            self = Self(
                status: .serviceUnavailable, code: .internal,
                message: "another call is changing the same data; nothing was changed, try again", retryAfter: 1)
        // Every failure of the store may end without a restart: a full disk, a device that comes back, a moved file. The call
        // has changed nothing, so it can be repeated.
        case is StoreError:
            self = Self(
                status: .serviceUnavailable, code: .internal,
                message: "the service cannot use its database; nothing was changed, try again", retryAfter: 5)
        default:
            self = Self(
                status: .internalServerError, code: .internal,
                message: "internal error; the log of the service contains the cause")
        }
    }

    private static func mapping(_ refusal: Refusal) -> WireRefusal {
        switch refusal {
        case .invalidField(let field, let problem): .init(.badRequest, .badRequest, "\(field) \(problem)")
        case .invalidIdentifier(let message): .init(.badRequest, .invalidIdentifier, message)
        case .invalidVerificationToken:
            .init(.badRequest, .invalidVerificationToken, "the verification token is invalid or expired; start again")
        case .invalidPassword(let message): .init(.badRequest, .invalidPassword, message)
        case .passwordNotSet: .init(.badRequest, .passwordNotSet, "the user has no password")
        case .noLoginConfig(let message): .init(.badRequest, .noLoginConfig, message)
        case .passkeyNotConfigured: .init(.forbidden, .passkeyNotConfigured, "passkeys are not configured")
        case .passkeyRegistrationFailed(let message): .init(.badRequest, .passkeyRegistrationFailed, message)
        case .passkeyAuthenticatorBlocked:
            .init(.forbidden, .passkeyAuthenticatorBlocked, "the app does not allow this model of authenticator")
        case .passkeyStepUnavailable:
            .init(.forbidden, .passkeyStepUnavailable, "the scope needs a passkey, and the user has none")
        case .invalidMetadata(let message): .init(.badRequest, .invalidMetadata, message)
        case .invalidStepToken(let problem):
            .init(.badRequest, .invalidVerificationToken, "verification_token \(problem)")
        case .invalidPaginationLimit:
            .init(.badRequest, .invalidPaginationLimit, "limit must be a number from 1 to 100")
        case .invalidPaginationOffset(let maximum):
            .init(.badRequest, .invalidPaginationOffset, "offset must be a number from 0 to \(maximum)")
        case .unauthorized: .init(.unauthorized, .unauthorized, "the credentials are missing, invalid or expired")
        case .badCode: .init(.unauthorized, .badCheckCode, "the code is wrong")
        case .spentCode:
            .init(
                .unauthorized, .badCheckCode, "the code is used up or expired; request a new one", needsNewCode: true)
        case .missingProof: .init(.unauthorized, .missingDPoPProof, "a DPoP proof is required")
        case .invalidProof(let error): .init(.badRequest, .invalidDPoPProof, "the DPoP proof is invalid: \(error)")
        case .proofForOtherTarget(let expected):
            .init(
                .badRequest, .invalidDPoPProof,
                "htu of the DPoP proof must be \(expected); check the endpoint of the client and the public URL of the "
                    + "service", expectedTarget: expected)
        case .replayedProof: .init(.badRequest, .invalidDPoPProof, "the DPoP proof was used before")
        case .proofKeyMismatch:
            .init(.unauthorized, .dpopKeyMismatch, "the DPoP proof was not signed by the key of the session")
        case .proofNotOfChallenge:
            .init(.badRequest, .invalidDPoPProof, "jti of the DPoP proof must be the jti of challenge_token")
        case .nonceRequired(let nonce):
            .init(.badRequest, .useDPoPNonce, "the DPoP proof must contain the nonce from DPoP-Nonce", nonce: nonce)
        case .missingChallenge: .init(.unauthorized, .missingChallengeToken, "challenge_token is missing")
        case .invalidChallenge: .init(.unauthorized, .invalidChallengeToken, "the challenge token is invalid")
        case .expiredChallenge:
            .init(.unauthorized, .expiredChallengeToken, "the challenge token has expired; start again")
        case .verifierMismatch:
            .init(.unauthorized, .tokenMismatch, "code_verifier does not match the code_challenge of this login")
        case .challengeReused: .init(.conflict, .tokenReused, "the challenge token was used before")
        case .refreshTokenSpent:
            .init(
                .conflict, .tokenReused, "the refresh token was used before by this device; read the stored token again"
            )
        case .stepNotCompleted: .init(.conflict, .stepNotCompleted, "the challenge has steps that are not completed")
        case .challengeMismatch:
            .init(.unauthorized, .tokenMismatch, "the token belongs to another session, user or challenge")
        case .stepNotFound: .init(.conflict, .stepNotFound, "the challenge has no such step that is not completed")
        case .stepBypassed: .init(.conflict, .stepBypassed, "another step must be completed first")
        case .stepUpNotConfigured: .init(.forbidden, .notConfigured, "step-up is not configured")
        case .scopeNotAllowed: .init(.forbidden, .scopeNotAllowed, "the scope is not registered or not allowed")
        case .scopeIdentifierMismatch:
            .init(
                .forbidden, .directScopeIdentifierMismatch,
                "the user has no identifier of a type that the scope requires")
        case .authBlocked: .init(.forbidden, .authBlocked, "the scope is denied")
        case .sendDenied(needsOtherType: false): .init(.forbidden, .authBlocked, "no code is sent for this request")
        case .sendDenied(needsOtherType: true):
            .init(.forbidden, .authBlocked, "no code is sent to this type of identifier; use another one")
        case .insufficientScope(let scope): .init(.forbidden, .insufficientScope, "the scope \(scope) is required")
        case .forbidden(let message): .init(.forbidden, .forbidden, message)
        case .inactiveUser: .init(.forbidden, .inactiveUser, "the user is not active")
        case .suspendedAccount: .init(.forbidden, .suspendedAccount, "the user is suspended")
        case .notFound(let message): .init(.notFound, .notFound, message)
        case .conflict(let message): .init(.conflict, .conflict, message)
        case .identifierTaken:
            .init(.conflict, .identifierAlreadyExists, "another user of the app has this identifier")
        case .identifiersFull:
            .init(
                .conflict, .conflict,
                "the user already has \(User.maximumIdentifiers) identifiers, which is the maximum")
        case .stepUpConfigExists:
            .init(
                .conflict, .stepUpConfigAlreadyExists,
                "step-up is already configured; use PUT to replace the configuration")
        case .rateLimited(let seconds):
            .init(.tooManyRequests, .rateLimited, "too many attempts; try again later", retryAfter: seconds)
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
        case let status where status.kind == .clientError: .init(status, .badRequest, "the request is invalid")
        default: .init(.internalServerError, .internal, "internal error; the log of the service contains the cause")
        }
    }

    private static func busy(retryAfter: Int) -> WireRefusal {
        .init(.tooManyRequests, .rateLimited, "the service is busy; try again", retryAfter: retryAfter)
    }

    private init(
        _ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String, retryAfter: Int? = nil,
        nonce: String? = nil, needsNewCode: Bool = false, expectedTarget: String? = nil
    ) {
        self.init(
            status: status, code: code, message: message, retryAfter: retryAfter, nonce: nonce,
            needsNewCode: needsNewCode, expectedTarget: expectedTarget)
    }
}

/// Turns errors into responses. The frontend API and the management API have different error bodies.
package enum ErrorResponse {
    /// Logs an error of the service, notes the code for the line of the request, and builds its response.
    static func make(for error: any Error, request: Request, context: ServiceRequestContext) throws -> Response {
        try make(report(error, context: context), request: request, context: context)
    }

    /// Logs an error of the service, and notes the code for the line of the request.
    package static func report(_ error: any Error, context: ServiceRequestContext) -> WireRefusal {
        let refusal = WireRefusal(error)
        if error is StoreError {
            // The store's own line is at most one per second, whatever the number of calls.
            context.logger.debug("request failed", metadata: ["error": .string(String(describing: error))])
        } else if refusal.status.kind == .serverError {
            context.logger.error("request failed", metadata: ["error": .string(String(describing: error))])
        }
        RequestTrail.current?.note(code: refusal.code.rawValue, refusal: RefusalReason(of: error))
        return refusal
    }

    /// Builds the response, with `Retry-After` and `DPoP-Nonce` where they apply.
    static func make(_ refusal: WireRefusal, request: Request, context: ServiceRequestContext) throws -> Response {
        var response =
            if request.uri.path.hasPrefix("/v2/") {
                try Response.json(ManagementErrorBody(refusal, requestID: context.requestID), status: refusal.status)
            } else {
                try Response.json(
                    ErrorBody(
                        code: refusal.code, type: refusal.type, message: refusal.message, requestID: context.requestID,
                        field: refusal.field, needsNewCode: refusal.needsNewCode ? true : nil,
                        expectedTarget: refusal.expectedTarget),
                    status: refusal.status)
            }
        if let seconds = refusal.retryAfter { response.headers.set(.retryAfter, to: String(seconds)) }
        if let nonce = refusal.nonce { response.headers.set(.dpopNonce, to: nonce) }
        return response
    }
}

extension WireRefusal {
    /// The group of the error, for people who read logs.
    var type: String {
        switch status.code {
        case 401: "authentication_error"
        case 403: "permission_error"
        case 429: "rate_limit_error"
        case 500...: "internal_error"
        default: "invalid_request_error"
        }
    }
}

/// The body of error responses of the management API. It repeats the status.
private struct ManagementErrorBody: Encodable {
    let code: ErrorCode
    let status: Int
    let message: String
    let requestID: String?
    /// The member of the request that the error is about.
    let field: String?

    private enum CodingKeys: String, CodingKey {
        case code, status, message, field
        case requestID = "request_id"
    }

    init(_ refusal: WireRefusal, requestID: String?) {
        code = refusal.code
        status = refusal.status.code
        message = refusal.message
        self.requestID = requestID
        field = refusal.field
    }
}

extension Refusal {
    /// The member of the request that the error is about, such as `identifier`. `nil` if it is about no member.
    ///
    /// The message begins with the same name. Clients need not parse it.
    var field: String? {
        switch self {
        case .invalidField(let field, _): field == "body" ? nil : field
        // The message begins with the name, such as identifiers[1].
        case .invalidIdentifier(let message), .invalidMetadata(let message): String(message.prefix { $0 != " " })
        case .identifierTaken(let field): field
        case .invalidPassword: "password"
        case .sendDenied(let needsOtherType): needsOtherType ? "identifier.type" : nil
        case .invalidStepToken: "verification_token"
        case .invalidPaginationLimit: "limit"
        case .invalidPaginationOffset: "offset"
        case .badCode, .spentCode: "code"
        case .verifierMismatch: "code_verifier"
        default: nil
        }
    }
}
