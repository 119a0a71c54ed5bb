import SessionDomain
import SessionTokens
import Testing

/// A refusal and its error response.
struct RefusalRow: Sendable, CustomTestStringConvertible {
    let refusal: Refusal
    let status: Int
    let code: String
    let type: String
    var retryAfter: Int?
    var nonce: String?
    var testDescription: String { "\(refusal)" }

    init(_ refusal: Refusal, _ status: Int, _ code: String, retryAfter: Int? = nil, nonce: String? = nil) {
        self.refusal = refusal
        self.status = status
        self.code = code
        self.retryAfter = retryAfter
        self.nonce = nonce
        type =
            switch status {
            case 401: "authentication_error"
            case 403: "permission_error"
            case 429: "rate_limit_error"
            case 503: "internal_error"
            default: "invalid_request_error"
            }
    }

    static let all = [
        RefusalRow(.invalidField("name", "is required"), 400, "bad_request"),
        RefusalRow(.invalidIdentifier("no"), 400, "invalid_identifier"),
        RefusalRow(.invalidVerificationToken, 400, "invalid_verification_token"),
        RefusalRow(.invalidPassword("no"), 400, "invalid_password"),
        RefusalRow(.passwordNotSet, 400, "password_not_set"),
        RefusalRow(.noLoginConfig("no"), 400, "no_login_config"),
        RefusalRow(.invalidMetadata("no"), 400, "invalid_metadata"),
        RefusalRow(.invalidStepToken("has expired"), 400, "invalid_verification_token"),
        RefusalRow(.invalidPaginationLimit, 400, "invalid_pagination_limit"),
        RefusalRow(.invalidPaginationOffset(maximum: 9), 400, "invalid_pagination_offset"),
        RefusalRow(.unauthorized, 401, "unauthorized"),
        RefusalRow(.badCode, 401, "bad_check_code"),
        RefusalRow(.missingProof, 401, "missing_dpop_proof"),
        RefusalRow(.invalidProof(.wrongTarget), 400, "invalid_dpop_proof"),
        RefusalRow(.replayedProof, 400, "invalid_dpop_proof"),
        RefusalRow(.proofKeyMismatch, 401, "dpop_key_mismatch"),
        RefusalRow(.proofNotOfChallenge, 400, "invalid_dpop_proof"),
        RefusalRow(.nonceRequired("n1"), 400, "use_dpop_nonce", nonce: "n1"),
        RefusalRow(.missingChallenge, 401, "missing_challenge_token"),
        RefusalRow(.invalidChallenge, 401, "invalid_challenge_token"),
        RefusalRow(.expiredChallenge, 401, "expired_challenge_token"),
        RefusalRow(.verifierMismatch, 401, "token_mismatch"),
        RefusalRow(.challengeReused, 409, "token_reused"),
        RefusalRow(.challengeMismatch, 401, "token_mismatch"),
        RefusalRow(.stepNotCompleted, 409, "step_not_completed"),
        RefusalRow(.stepNotFound, 409, "step_not_found"),
        RefusalRow(.stepBypassed, 409, "step_bypassed"),
        RefusalRow(.stepUpNotConfigured, 403, "not_configured"),
        RefusalRow(.scopeNotAllowed, 403, "scope_not_allowed"),
        RefusalRow(.scopeIdentifierMismatch, 403, "direct_scope_identifier_mismatch"),
        RefusalRow(.authBlocked, 403, "auth_blocked"),
        RefusalRow(.insufficientScope("a:b"), 403, "insufficient_scope"),
        RefusalRow(.forbidden("no"), 403, "forbidden"),
        RefusalRow(.inactiveUser, 403, "inactive_user"),
        RefusalRow(.suspendedAccount, 403, "suspended_account"),
        RefusalRow(.notFound("no"), 404, "not_found"),
        RefusalRow(.conflict("no"), 409, "conflict"),
        RefusalRow(.identifierTaken(), 409, "identifier_already_exists"),
        RefusalRow(.identifiersFull, 409, "conflict"),
        RefusalRow(.stepUpConfigExists, 409, "step_up_config_already_exists"),
        RefusalRow(.rateLimited(retryAfter: 77), 429, "rate_limited", retryAfter: 77),
        RefusalRow(.overloaded(retryAfter: 3), 429, "rate_limited", retryAfter: 3),
        RefusalRow(.unavailable("no"), 503, "internal", retryAfter: 5),
        RefusalRow(.refreshTokenSpent, 409, "token_reused"),
        RefusalRow(.spentCode, 401, "bad_check_code"),
        RefusalRow(.proofForOtherTarget(expected: "https://a.example/b"), 400, "invalid_dpop_proof"),
        RefusalRow(.sendDenied(needsOtherType: true), 403, "auth_blocked"),
        RefusalRow(.passkeyNotConfigured, 403, "passkey_not_configured"),
        RefusalRow(.passkeyRegistrationFailed("no"), 400, "passkey_registration_failed"),
        RefusalRow(.passkeyAuthenticatorBlocked, 403, "passkey_authenticator_blocked"),
        RefusalRow(.passkeyStepUnavailable, 403, "passkey_step_unavailable"),
    ]

    /// The index of the row of a refusal. A new case of `Refusal` does not compile until it has an index and a row.
    static func index(of refusal: Refusal) -> Int {
        switch refusal {
        case .invalidField: 0
        case .invalidIdentifier: 1
        case .invalidVerificationToken: 2
        case .invalidPassword: 3
        case .passwordNotSet: 4
        case .noLoginConfig: 5
        case .invalidMetadata: 6
        case .invalidStepToken: 7
        case .invalidPaginationLimit: 8
        case .invalidPaginationOffset: 9
        case .unauthorized: 10
        case .badCode: 11
        case .missingProof: 12
        case .invalidProof: 13
        case .replayedProof: 14
        case .proofKeyMismatch: 15
        case .proofNotOfChallenge: 16
        case .nonceRequired: 17
        case .missingChallenge: 18
        case .invalidChallenge: 19
        case .expiredChallenge: 20
        case .verifierMismatch: 21
        case .challengeReused: 22
        case .challengeMismatch: 23
        case .stepNotCompleted: 24
        case .stepNotFound: 25
        case .stepBypassed: 26
        case .stepUpNotConfigured: 27
        case .scopeNotAllowed: 28
        case .scopeIdentifierMismatch: 29
        case .authBlocked: 30
        case .sendDenied: 46
        case .passkeyNotConfigured: 47
        case .passkeyRegistrationFailed: 48
        case .passkeyAuthenticatorBlocked: 49
        case .passkeyStepUnavailable: 50
        case .insufficientScope: 31
        case .forbidden: 32
        case .inactiveUser: 33
        case .suspendedAccount: 34
        case .notFound: 35
        case .conflict: 36
        case .identifierTaken: 37
        case .identifiersFull: 38
        case .stepUpConfigExists: 39
        case .rateLimited: 40
        case .overloaded: 41
        case .unavailable: 42
        case .refreshTokenSpent: 43
        case .spentCode: 44
        case .proofForOtherTarget: 45
        }
    }
}
