import Foundation
import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@testable import SessionHTTP

@Suite("Errors as responses")
struct WireRefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
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
    }

    static let rows = [
        Row(.invalidField("name", "is required"), 400, "bad_request"),
        Row(.invalidIdentifier("no"), 400, "invalid_identifier"),
        Row(.invalidVerificationToken, 400, "invalid_verification_token"),
        Row(.invalidPassword("no"), 400, "invalid_password"),
        Row(.passwordNotSet, 400, "password_not_set"),
        Row(.noLoginConfig("no"), 400, "no_login_config"),
        Row(.invalidMetadata("no"), 400, "invalid_metadata"),
        Row(.invalidStepToken("has expired"), 400, "invalid_verification_token"),
        Row(.invalidPaginationLimit, 400, "invalid_pagination_limit"),
        Row(.invalidPaginationOffset, 400, "invalid_pagination_offset"),
        Row(.unauthorized, 401, "unauthorized"),
        Row(.badCode, 401, "bad_check_code"),
        Row(.missingProof, 401, "missing_dpop_proof"),
        Row(.invalidProof(.wrongTarget), 400, "invalid_dpop_proof"),
        Row(.replayedProof, 400, "invalid_dpop_proof"),
        Row(.proofKeyMismatch, 401, "dpop_key_mismatch"),
        Row(.proofNotOfChallenge, 400, "invalid_dpop_proof"),
        Row(.nonceRequired("n1"), 400, "use_dpop_nonce", nonce: "n1"),
        Row(.missingChallenge, 401, "missing_challenge_token"),
        Row(.invalidChallenge, 401, "invalid_challenge_token"),
        Row(.expiredChallenge, 401, "expired_challenge_token"),
        Row(.verifierMismatch, 401, "token_mismatch"),
        Row(.challengeReused, 409, "token_reused"),
        Row(.challengeMismatch, 401, "token_mismatch"),
        Row(.stepNotCompleted, 409, "step_not_completed"),
        Row(.stepNotFound, 409, "step_not_found"),
        Row(.stepBypassed, 409, "step_bypassed"),
        Row(.stepUpNotConfigured, 403, "not_configured"),
        Row(.scopeNotAllowed, 403, "scope_not_allowed"),
        Row(.scopeIdentifierMismatch, 403, "direct_scope_identifier_mismatch"),
        Row(.authBlocked, 403, "auth_blocked"),
        Row(.insufficientScope("a:b"), 403, "insufficient_scope"),
        Row(.forbidden("no"), 403, "forbidden"),
        Row(.inactiveUser, 403, "inactive_user"),
        Row(.suspendedAccount, 403, "suspended_account"),
        Row(.notFound("no"), 404, "not_found"),
        Row(.conflict("no"), 409, "conflict"),
        Row(.identifierTaken, 409, "identifier_already_exists"),
        Row(.identifiersFull, 409, "conflict"),
        Row(.stepUpConfigExists, 409, "step_up_config_already_exists"),
        Row(.rateLimited(retryAfter: 77), 429, "rate_limited", retryAfter: 77),
        Row(.overloaded(retryAfter: 3), 429, "rate_limited", retryAfter: 3),
        Row(.unavailable("no"), 503, "internal", retryAfter: 5),
    ]

    /// A case that the table lacks does not compile here, which is a reminder to add a row.
    private static func index(of refusal: Refusal) -> Int {
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
        }
    }

    @Test("The table has every refusal")
    func complete() {
        #expect(Self.rows.map { Self.index(of: $0.refusal) } == Array(0..<43))
    }

    @Test("Every refusal has a status, a code and a type", arguments: rows)
    func mapping(_ row: Row) {
        let refusal = WireRefusal(row.refusal)
        #expect(refusal.status.code == row.status)
        #expect(refusal.code.rawValue == row.code)
        #expect(refusal.type == row.type)
        #expect(refusal.retryAfter == row.retryAfter)
        #expect(refusal.nonce == row.nonce)
        #expect(!refusal.message.isEmpty && refusal.message == row.refusal.message)
    }

    @Test("The service uses every error code of the wire, except the one that only the hosted product has")
    func codes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appendingPathComponent("Sources/SessionWire/ErrorCode.swift"), encoding: .utf8)
        let codes = source.matches(of: /static let [a-zA-Z`]+: ErrorCode = "([a-z_]+)"/).map { String($0.1) }
        #expect(codes.count > 30)
        #expect(Set(codes).subtracting(Self.rows.map(\.code)) == ["invalid_api_key"])
        #expect(Set(Self.rows.map(\.code)).isSubset(of: codes))
    }

    @Test("A text of a refusal is the message")
    func texts() {
        #expect(WireRefusal(Refusal.invalidField("name", "is required")).message == "name is required")
        #expect(WireRefusal(Refusal.invalidStepToken("has expired")).message == "verification_token has expired")
        #expect(WireRefusal(Refusal.insufficientScope("a:b")).message == "the scope a:b is required")
        for refusal in [Refusal.notFound("t"), .conflict("t"), .forbidden("t"), .unavailable("t"), .noLoginConfig("t")]
        {
            #expect(WireRefusal(refusal).message == "t")
        }
    }

    @Test(
        "Errors of the HTTP layer have a status and a code",
        arguments: [
            (.notFound, 404, "not_found"), (.methodNotAllowed, 404, "not_found"),
            (.contentTooLarge, 413, "bad_request"), (.unsupportedMediaType, 415, "bad_request"),
            (.requestHeaderFieldsTooLarge, 431, "bad_request"), (.badRequest, 400, "bad_request"),
            (.unprocessableContent, 422, "bad_request"), (.internalServerError, 500, "internal"),
            (.badGateway, 500, "internal"), (.movedPermanently, 500, "internal"),
        ] as [(HTTPResponse.Status, Int, String)])
    func http(error: HTTPResponse.Status, status: Int, code: String) {
        let refusal = WireRefusal(HTTPError(error, message: "secret"))
        #expect(refusal.status.code == status)
        #expect(refusal.code.rawValue == code)
        #expect(!refusal.message.contains("secret"))
    }

    @Test("A store that has too many writers is busy for a second")
    func storeIsOverloaded() {
        let refusal = WireRefusal(StoreError.overloaded)
        #expect(refusal.status == .tooManyRequests && refusal.code == .rateLimited && refusal.retryAfter == 1)
    }

    @Test("Any other error is internal, and its text is not in the response")
    func unknown() {
        struct Leak: Error, CustomStringConvertible { let description = "secret" }
        let refusal = WireRefusal(Leak())
        #expect(refusal == WireRefusal(status: .internalServerError, code: .internal, message: "internal error"))
        #expect(refusal.type == "internal_error")
    }
}
