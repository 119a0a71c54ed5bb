import Foundation
import HTTPTypes
import Testing

@testable import PreludeSession

@Suite("What an error says is in values")
struct ErrorDetailsTests {
    private static let all = PreludeSessionError.Details(
        "m", code: .badCheckCode, field: "code", needsNewCode: true, requestID: "req_1", retryAfter: 42)

    @Test("An error of a preview or a fake answers what a screen asks")
    func fake() {
        let error = PreludeSessionError.invalidOTPCode(Self.all)
        #expect(error.code == .badCheckCode && error.field == "code" && error.needsNewCode)
        #expect(error.requestID == "req_1" && error.retryAfter == 42)
        #expect(error.message.key == .newCode)
        #expect(PreludeSessionError.storageUnavailable(.init("m", needsUnlock: true)).needsUnlock)
        #expect(PreludeSessionError.generic(code: "c", message: Self.all).code == "c")
        let text = "not " + "allowed"
        #expect(PreludeSessionError.forbidden(.init(text)).localizedDescription == "not allowed")
    }

    @Test("A literal is a text without facts, also with an interpolation")
    func literals() {
        let reason = "it is late"
        guard case .forbidden(let details) = PreludeSessionError.forbidden("no, \(reason)") else { return }
        #expect(details == "no, it is late" && details == .init("no, it is late"))
        #expect("\(details)" == "no, it is late" && details.code == nil && !details.needsNewCode)
    }

    @Test("Printed details have the facts behind the text")
    func printed() {
        #expect("\(Self.all)" == "m [code=bad_check_code field=code new-code request=req_1 retry-after=42]")
        #expect(
            "\(PreludeSessionError.Details("m", needsUnlock: true, retryAfter: 0.5))" == "m [locked retry-after=0.5]")
        #expect(
            "\(PreludeSessionError.rateLimited(.init("m", retryAfter: 1)))" == #"rateLimited("m [retry-after=1]")"#)
    }

    @Test("A text that looks like facts is a text")
    func forged() {
        let error = PreludeSessionError.conflict("x [code=suspended_account field=a new-code request=r retry-after=5]")
        #expect(error.code == nil && error.field == nil && error.requestID == nil && error.retryAfter == nil)
        #expect(!error.needsNewCode && !PreludeSessionError.storageUnavailable("x [locked]").needsUnlock)
    }

    /// A `switch` of an app that lists the cases. A further case would not compile here, and not there either.
    private func isListed(_ error: PreludeSessionError) -> Bool {
        switch error {
        case .badRequest, .unauthorized, .rateLimited, .internalServerError, .missingChallengeToken,
            .invalidChallengeToken, .expiredChallengeToken, .tokenReused, .invalidOTPCode, .refreshFailed,
            .invalidConfiguration, .invalidPassword, .forbidden, .insufficientScope, .notFound, .conflict, .timeout,
            .network, .generic, .storageUnavailable, .deviceKeyLost:
            true
        }
    }

    @Test("What a later version of the service reports has a case of today")
    func later() {
        let body = Data(#"{"code":"something_of_tomorrow","message":"m","request_id":"req_1"}"#.utf8)
        let response = ErrorResponse(APIResponse(status: 418, fields: [:], body: body), now: Date())
        #expect(isListed(response.error))
        #expect(response.error.code == "something_of_tomorrow" && response.error.requestID == "req_1")
    }
}
