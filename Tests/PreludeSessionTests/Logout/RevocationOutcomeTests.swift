import Foundation
import HTTPTypes
import Testing

@testable import PreludeSession

@Suite("What a response means for a revocation")
struct RevocationOutcomeTests {
    private func outcome(
        status: Int, body: String = "", headers: HTTPFields = [:]
    ) -> RevocationOutcome {
        let answer = APIResponse(status: status, fields: headers, body: Data(body.utf8))
        let isSuccess = (200..<300).contains(status)
        return RevocationOutcome(isSuccess ? .success(answer) : .failure(ErrorResponse(answer, now: Date())))
    }

    private func outcome(status: Int, code: String) -> RevocationOutcome {
        outcome(status: status, body: #"{"code":"\#(code)","message":"refused"}"#)
    }

    @Test("A success and the rejection of token or key settle a revocation")
    func settled() {
        #expect(outcome(status: 204) == .settled)
        #expect(outcome(status: 401, code: "unauthorized") == .settled)
        #expect(outcome(status: 401, code: "dpop_key_mismatch") == .settled)
    }

    // Proves: R22
    @Test(
        "A rejection that says nothing about token and key settles no revocation",
        arguments: [
            (400, "bad_request"), (400, "invalid_dpop_proof"), (400, "use_dpop_nonce"), (401, "missing_dpop_proof"),
            (401, "tomorrows_code"), (403, "forbidden"), (404, "not_found"), (404, "ROUTE_NOT_FOUND"),
            (403, "unauthorized"), (408, "timeout"), (409, "conflict"), (413, "bad_request"), (425, "too_early"),
            (429, "rate_limited"), (500, "internal"), (503, "unavailable"),
        ])
    func undecided(status: Int, code: String) {
        #expect(outcome(status: status, code: code) == .undecided(retryAfter: nil))
    }

    // Proves: R22
    @Test(
        "A response of a captive portal or a proxy settles no revocation",
        arguments: [200, 400, 401, 403, 404, 407, 451, 503])
    func foreign(status: Int) {
        #expect(outcome(status: status, body: "<html>Welcome</html>") == .undecided(retryAfter: nil))
        #expect(outcome(status: status) == .undecided(retryAfter: nil))
    }

    @Test("A response can say when to send the revocation again", arguments: [429, 503])
    func retryAfter(status: Int) {
        #expect(outcome(status: status, headers: [.retryAfter: "30"]) == .undecided(retryAfter: 30))
    }

    @Test("A revocation without its device key is settled, one without a response is not")
    func errors() {
        #expect(RevocationOutcome(.failure(PreludeSessionError.deviceKeyLost("lost"))) == .settled)
        let errors: [any Error] = [
            PreludeSessionError.network(underlying: CancellationError()), PreludeSessionError.timeout,
            PreludeSessionError.storageUnavailable("locked"), CancellationError(),
        ]
        for error in errors { #expect(RevocationOutcome(.failure(error)) == .unanswered) }
    }
}
