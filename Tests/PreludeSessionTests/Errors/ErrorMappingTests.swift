import Foundation
import HTTPTypes
import Testing

@testable import PreludeSession

@Suite("Errors of the server become errors of the SDK")
struct ErrorMappingTests {
    private static func name(_ error: PreludeSessionError) -> String {
        String(describing: error).prefix { $0 != "(" }.description
    }

    private func response(_ body: String, status: Int = 400, fields: HTTPFields = [:]) -> ErrorResponse {
        ErrorResponse(
            APIResponse(status: status, fields: fields, body: Data(body.utf8)),
            now: Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("A long code and a long message are cut, however their scalars form characters")
    func long() {
        let text = "a" + String(repeating: "\u{301}", count: 5000)
        let error = response(#"{"code":"\#(text)","type":"t","message":"\#(text)"}"#).error
        guard case .generic(let code, let message) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(code.unicodeScalars.count == 64 && message.text.unicodeScalars.count == 300)
    }

    @Test(
        "Each error code becomes its case",
        arguments: [
            ("bad_request", "badRequest"),
            ("invalid_identifier", "badRequest"),
            ("invalid_metadata", "badRequest"),
            ("invalid_pagination_limit", "badRequest"),
            ("invalid_pagination_offset", "badRequest"),
            ("invalid_redirect_uri", "badRequest"),
            ("invalid_verification_token", "badRequest"),
            ("password_not_set", "badRequest"),
            ("no_login_config", "badRequest"),
            ("passkey_registration_failed", "badRequest"),
            ("oauth_provider_not_configured", "badRequest"),
            ("oauth_provider_disabled", "badRequest"),
            ("email_domain_not_verified", "badRequest"),
            ("insufficient_balance", "badRequest"),
            ("invalid_password", "invalidPassword"),
            ("invalid_dpop_proof", "unauthorized"),
            ("use_dpop_nonce", "unauthorized"),
            ("unauthorized", "unauthorized"),
            ("missing_dpop_proof", "unauthorized"),
            ("dpop_key_mismatch", "unauthorized"),
            ("bad_check_code", "invalidOTPCode"),
            ("missing_challenge_token", "missingChallengeToken"),
            ("invalid_challenge_token", "invalidChallengeToken"),
            ("token_mismatch", "invalidChallengeToken"),
            ("step_not_completed", "invalidChallengeToken"),
            ("step_not_found", "invalidChallengeToken"),
            ("step_bypassed", "invalidChallengeToken"),
            ("expired_challenge_token", "expiredChallengeToken"),
            ("token_reused", "tokenReused"),
            ("forbidden", "forbidden"),
            ("auth_blocked", "forbidden"),
            ("scope_not_allowed", "forbidden"),
            ("not_configured", "forbidden"),
            ("direct_scope_identifier_mismatch", "forbidden"),
            ("inactive_user", "forbidden"),
            ("suspended_account", "forbidden"),
            ("invalid_api_key", "forbidden"),
            ("email_verification_not_allowed", "forbidden"),
            ("invalid_verify_configuration", "forbidden"),
            ("passkey_not_configured", "forbidden"),
            ("passkey_step_unavailable", "forbidden"),
            ("passkey_authenticator_blocked", "forbidden"),
            ("insufficient_scope", "insufficientScope"),
            ("not_found", "notFound"),
            ("conflict", "conflict"),
            ("identifier_already_exists", "conflict"),
            ("rate_limited", "rateLimited"),
            ("too_many_requests", "rateLimited"),
            ("internal", "internalServerError"),
            ("internal_server_error", "internalServerError"),
            ("something_of_tomorrow", "generic"),
        ])
    func mapping(code: String, expected: String) {
        let error = response(#"{"code":"\#(code)","message":"m"}"#).error
        #expect(Self.name(error) == expected)
        #expect(error.code?.rawValue == code)
    }

    @Test("An invalid body shows its status and never its text")
    func unreadable() {
        let error = response("<html>secret</html>", status: 500).error
        guard case .generic(let code, _) = error else { return #expect(Bool(false), "\(error)") }
        #expect(code == "http_500")
        #expect(!String(describing: error).contains("secret"))
    }

    @Test(
        "An invalid body with a status of a gateway or 429 becomes the error of the status",
        arguments: [(429, "rateLimited"), (502, "network"), (503, "network"), (504, "network"), (505, "generic")],
        ["", "<html>secret</html>", #"{"message":"secret"}"#, #"{"code":503,"message":"secret"}"#])
    func proxy(_ answer: (status: Int, expected: String), body: String) throws {
        var fields = HTTPFields()
        fields[.retryAfter] = "7"
        fields[try #require(HTTPField.Name("X-Request-Id"))] = "req_7"
        let error = response(body, status: answer.status, fields: fields).error
        #expect(Self.name(error) == answer.expected)
        #expect(error.retryAfter == 7)
        #expect(error.requestID == "req_7")
        #expect(!"\(error) \(error.localizedDescription)".contains("secret"))
    }

    @Test("A 5xx response of the service itself becomes internalServerError", arguments: [502, 503, 504])
    func ownWords(status: Int) {
        #expect(
            Self.name(response(#"{"code":"internal","message":"m"}"#, status: status).error) == "internalServerError")
    }

    @Test(
        "Retry-After is a number of seconds or a date, by the server's clock if the response has a date",
        arguments: [
            ("0", nil, 0), ("120", nil, 120),
            // The device's clock says 08:49:37.
            ("Sun, 06 Nov 1994 08:50:37 GMT", nil, 60),
            ("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:50:30 GMT", 7),
            ("Sun, 06 Nov 1994 08:40:00 GMT", nil, 0),
            ("-1", nil, nil), ("1.5", nil, nil), ("soon", nil, nil), ("99999999999999999999", nil, nil),
            ("9999999999", nil, nil), ("Sun, 06 Nov 9999 08:49:37 GMT", nil, nil),
            ("Sun, 06 Nov 99999999999999 08:49:37 GMT", nil, nil),
            ("Sun, 06 Nov 1994 -9223372036854775808:49:37 GMT", nil, nil),
            ("Sun, 06 Nov -9223372036854775808 08:49:37 GMT", nil, nil),
            ("Sun, 9223372036854775807 Nov 1994 08:49:37 GMT", nil, nil),
            ("60", "Sun, 06 Nov 1994 08:-9223372036854775808:37 GMT", 60),
        ] as [(String, String?, Double?)])
    func waiting(_ field: String, date: String?, expected: Double?) {
        var fields = HTTPFields()
        fields[.retryAfter] = field
        fields[.date] = date
        for (body, status) in [(#"{"code":"rate_limited","message":"m"}"#, 429), ("<html>", 429), ("<html>", 503)] {
            #expect(response(body, status: status, fields: fields).error.retryAfter == expected, "\(status) \(body)")
        }
    }

    @Test("An error has the waiting time and the request id of its response")
    func details() {
        var fields = HTTPFields()
        fields[HTTPField.Name.retryAfter] = "42"
        let error = response(
            #"{"code":"rate_limited","message":"too many [x=1]","request_id":"req_1"}"#, status: 429, fields: fields
        ).error
        #expect(error.retryAfter == 42)
        #expect(error.requestID == "req_1")
    }

    @Test(
        "A message that looks like a waiting time is not read as one",
        arguments: ["inf", "nan", "1e300", "-1", "9999999999"])
    func forgedTime(_ time: String) {
        let error = response(#"{"code":"conflict","message":"x [retry-after=\#(time)]"}"#).error
        #expect(error.retryAfter == nil)
    }

    @Test("A request id with invalid characters is dropped")
    func forgedID() {
        let error = response(#"{"code":"conflict","message":"m","request_id":"a] [retry-after=1"}"#).error
        #expect(error.requestID == nil)
        #expect(error.retryAfter == nil)
    }
}
