import Foundation
import SessionWire
import Testing

@Suite("Wire: errors")
struct ErrorBodyTests {
    private let golden = Golden(
        ErrorBody.self,
        """
        {
          "code": "use_dpop_nonce",
          "type": "bad_request",
          "message": "Repeat the request with the nonce of the DPoP-Nonce header.",
          "request_id": "req_01jqebhswje9k8y6w5h7w2e3rt",
          "field": "identifier.type",
          "needs_new_code": true,
          "expected_htu": "https://app1234.session.example.com/v1/session/refresh"
        }
        """)

    @Test("An error body has code, type, message and request_id, and further members for some errors")
    func errorBody() throws {
        try golden.expect(
            ErrorBody(
                code: .useDPoPNonce, type: "bad_request",
                message: "Repeat the request with the nonce of the DPoP-Nonce header.",
                requestID: "req_01jqebhswje9k8y6w5h7w2e3rt", field: "identifier.type", needsNewCode: true,
                expectedTarget: "https://app1234.session.example.com/v1/session/refresh"
            ))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("code")
        try golden.expectTyped("code")
    }

    @Test(
        "A member of another type does not hide the code",
        arguments: ["type", "message", "request_id", "field", "needs_new_code", "expected_htu"], ["7", "null", "[{}]"])
    func otherTypes(member: String, value: String) throws {
        let json = #"{"code": "unauthorized", "\#(member)": \#(value)}"#
        let body = try JSONDecoder().decode(ErrorBody.self, from: Data(json.utf8))
        #expect(body == ErrorBody(code: .unauthorized, type: "", message: "", requestID: nil))
    }

    @Test("An error body with only the code is accepted")
    func codeAlone() throws {
        let body = try JSONDecoder().decode(ErrorBody.self, from: Data(#"{"code": "unauthorized"}"#.utf8))
        #expect(body == ErrorBody(code: .unauthorized, type: "", message: "", requestID: nil))
    }

    @Test("An unknown error code is kept in decoding and encoding")
    func unknownCode() throws {
        let golden = Golden(ErrorBody.self, #"{"code": "code_of_tomorrow", "type": "", "message": ""}"#)
        try golden.expect(ErrorBody(code: "code_of_tomorrow", type: "", message: "", requestID: nil))
    }

    @Test(
        "Every error code has its fixed value",
        arguments: [
            (ErrorCode.badRequest, "bad_request"), (.invalidIdentifier, "invalid_identifier"),
            (.invalidMetadata, "invalid_metadata"), (.invalidPaginationLimit, "invalid_pagination_limit"),
            (.invalidPaginationOffset, "invalid_pagination_offset"),
            (.invalidVerificationToken, "invalid_verification_token"), (.invalidPassword, "invalid_password"),
            (.passwordNotSet, "password_not_set"), (.noLoginConfig, "no_login_config"),
            (.invalidDPoPProof, "invalid_dpop_proof"), (.useDPoPNonce, "use_dpop_nonce"),
            (.unauthorized, "unauthorized"), (.badCheckCode, "bad_check_code"),
            (.missingDPoPProof, "missing_dpop_proof"), (.dpopKeyMismatch, "dpop_key_mismatch"),
            (.missingChallengeToken, "missing_challenge_token"), (.invalidChallengeToken, "invalid_challenge_token"),
            (.expiredChallengeToken, "expired_challenge_token"), (.tokenMismatch, "token_mismatch"),
            (.forbidden, "forbidden"), (.authBlocked, "auth_blocked"), (.scopeNotAllowed, "scope_not_allowed"),
            (.notConfigured, "not_configured"), (.insufficientScope, "insufficient_scope"),
            (.inactiveUser, "inactive_user"), (.suspendedAccount, "suspended_account"),
            (.invalidAPIKey, "invalid_api_key"), (.notFound, "not_found"), (.conflict, "conflict"),
            (.identifierAlreadyExists, "identifier_already_exists"), (.tokenReused, "token_reused"),
            (.stepNotCompleted, "step_not_completed"), (.stepNotFound, "step_not_found"),
            (.stepBypassed, "step_bypassed"), (.rateLimited, "rate_limited"), (.internal, "internal"),
        ]
    )
    func spelling(_ code: ErrorCode, _ expected: String) {
        #expect(code.rawValue == expected)
    }
}
