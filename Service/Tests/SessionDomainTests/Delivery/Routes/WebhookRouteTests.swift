import Foundation
import Testing

@testable import SessionDomain

@Suite("Answers of a backend that sends messages")
struct WebhookRouteTests {
    private func outcome(_ status: Int, _ body: String) -> String {
        switch WebhookRoute.result(EgressAnswer(status: status, body: Data(body.utf8))) {
        case .accepted(let reference): "accepted \(reference ?? "-")"
        case .rejected(let failure) where failure.finding == .unknownRecipient:
            "final \(failure.stage.rawValue) \(failure.reason)"
        case .rejected(let failure): "rejected \(failure.stage.rawValue) \(failure.reason)"
        case .failed(let failure): "failed \(failure.stage.rawValue) \(failure.reason)"
        }
    }

    @Test(
        "2xx accepts, 400 and 422 reject, and everything else may be tried again",
        arguments: [
            (200, "{}", "accepted -"), (202, "", "accepted -"), (204, "", "accepted -"),
            (200, #"{"id":"sm-1"}"#, "accepted sm-1"), (200, #"{"id":"a\nb"}"#, "accepted -"),
            (200, "not json", "accepted -"), (422, #"{"error":"recipient"}"#, "rejected recipient HTTP 422"),
            (422, #"{"error":"unknown_recipient"}"#, "final recipient HTTP 422"),
            (400, #"{"error":"sender"}"#, "rejected sender HTTP 400"), (400, "x", "rejected content HTTP 400"),
            (401, "", "failed authentication HTTP 401"), (403, "", "failed authentication HTTP 403"),
            (404, "", "failed response HTTP 404"), (429, "", "failed response HTTP 429"),
            (500, "", "failed response HTTP 500"), (302, "", "failed response HTTP 302"),
        ])
    func answers(status: Int, body: String, expected: String) { #expect(outcome(status, body) == expected) }

    @Test("The backend's words are not repeated")
    func words() { #expect(!outcome(400, #"{"error":"482913 is your code"}"#).contains("482913")) }
}
