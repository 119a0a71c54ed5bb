import Foundation
import SessionDomain
import SessionTokens
import Testing

@testable import SessionDelivery

@Suite("Answers of gateways")
struct GatewayResultTests {
    private static let text = ReasonText(hiding: ["s3cret"], code: "482913")

    /// What an answer means, in short: `accepted ID`, `rejected STAGE`, `failed STAGE`, `final STAGE` if the recipient does not
    /// exist, or `unclear STAGE` if the message may be sent.
    private func outcome(_ result: SendingResult) -> String {
        switch result {
        case .accepted(let reference): "accepted \(reference ?? "-")"
        case .rejected(let failure):
            "\(failure.finding == .unknownRecipient ? "final" : "rejected") \(failure.stage.rawValue)"
        case .failed(let failure):
            "\(failure.finding == .mayBeSent ? "unclear" : "failed") \(failure.stage.rawValue)"
        }
    }

    private func answer(_ json: String) throws -> [String: JSONValue] {
        (try? TokenJSON.decode([String: JSONValue].self, from: Data(json.utf8))) ?? [:]
    }

    @Test(
        "Twilio",
        arguments: [
            (201, #"{"sid":"SM1","status":"queued","error_code":null}"#, "accepted SM1"),
            (400, #"{"code":21211,"message":"Invalid 'To'"}"#, "final recipient"),
            (400, #"{"code":21610,"message":"unsubscribed"}"#, "rejected recipient"),
            (400, #"{"code":21614}"#, "final recipient"), (400, #"{"code":21612}"#, "rejected recipient"),
            (403, #"{"code":21408}"#, "rejected recipient"),
            (400, #"{"code":21608}"#, "rejected recipient"), (400, #"{"code":21606}"#, "rejected sender"),
            (400, #"{"code":21659}"#, "rejected sender"), (400, #"{"code":21617}"#, "rejected content"),
            (400, #"{"code":99999}"#, "rejected content"), (401, #"{"code":20003}"#, "failed authentication"),
            (403, "{}", "failed authentication"), (429, #"{"code":20429}"#, "failed response"),
            (400, #"{"code":21611}"#, "failed response"), (500, "oops", "failed response"),
            (503, "", "failed response"), (404, #"{"code":20404}"#, "failed response"), (302, "", "failed response"),
            (504, "", "unclear response"),
            // A repeated request would be a second SMS.
            (200, "not json", "accepted -"), (201, "{}", "accepted -"), (201, "[]", "accepted -"),
            (202, "", "accepted -"), (201, #"{"sid":7}"#, "accepted -"),
            (201, #"{"sid":"SM1","status":"failed","error_code":null}"#, "rejected response"),
            (201, #"{"sid":"SM1","status":"undelivered","error_code":30007}"#, "rejected response"),
            (201, #"{"sid":"SM1","status":"failed","error_code":21610}"#, "rejected recipient"),
            (201, #"{"sid":"SM1","status":"sending","error_code":null}"#, "accepted SM1"),
        ])
    func twilio(status: Int, body: String, expected: String) throws {
        let settings = RouteSettings(kind: .twilio, account: "AC", from: "+1")
        let gateway = try #require(Twilio(settings))
        #expect(outcome(gateway.result(status: status, answer: try answer(body), text: Self.text)) == expected)
    }

    @Test(
        "Vonage",
        arguments: [
            (200, #"{"message-count":"1","messages":[{"status":"0","message-id":"0A"}]}"#, "accepted 0A"),
            (200, #"{"messages":[{"status":"0","message-id":"0A"},{"status":"0","message-id":"0B"}]}"#, "accepted 0A"),
            (200, #"{"messages":[{"status":"0","message-id":"0A"},{"status":"5"}]}"#, "unclear response"),
            (200, #"{"messages":[{"status":"1","error-text":"Throttled"}]}"#, "failed response"),
            (200, #"{"messages":[{"status":"3"}]}"#, "rejected content"),
            (200, #"{"messages":[{"status":"4"}]}"#, "failed authentication"),
            (200, #"{"messages":[{"status":"6"}]}"#, "rejected recipient"),
            (200, #"{"messages":[{"status":"7"}]}"#, "rejected recipient"),
            (200, #"{"messages":[{"status":"9"}]}"#, "failed response"),
            (200, #"{"messages":[{"status":"12"}]}"#, "rejected content"),
            (200, #"{"messages":[{"status":"15"}]}"#, "rejected sender"),
            (200, #"{"messages":[{"status":"29"}]}"#, "rejected recipient"),
            (200, #"{"messages":[{"status":"777"}]}"#, "failed response"),
            (200, #"{"messages":[{"status":"33"}]}"#, "rejected recipient"),
            (200, #"{"messages":[]}"#, "unclear response"), (200, #"{"messages":[{}]}"#, "unclear response"),
            (200, "[]", "unclear response"), (504, "", "unclear response"), (401, "{}", "failed authentication"),
            (429, "", "failed response"),
            (502, "<html>", "failed response"), (400, "{}", "failed response"),
        ])
    func vonage(status: Int, body: String, expected: String) throws {
        let gateway = try #require(Vonage(RouteSettings(kind: .vonage, username: "k", from: "f")))
        #expect(outcome(gateway.result(status: status, answer: try answer(body), text: Self.text)) == expected)
    }

    @Test(
        "Prelude",
        arguments: [
            (200, #"{"id":"vrf_1","status":"success"}"#, "accepted vrf_1"),
            (200, #"{"id":"vrf_1","status":"retry"}"#, "accepted vrf_1"),
            (200, #"{"id":"vrf_1","status":"blocked","reason":"suspicious"}"#, "rejected recipient"),
            (200, #"{"status":"new"}"#, "accepted -"), (200, "", "accepted -"), (504, "", "unclear response"),
            (400, #"{"code":"invalid_phone_number","message":"no"}"#, "final recipient"),
            (403, #"{"code":"email_verification_not_allowed"}"#, "rejected recipient"),
            (400, #"{"code":"channel_not_enabled_in_region"}"#, "rejected recipient"),
            (400, #"{"code":"invalid_line_type"}"#, "rejected recipient"),
            (400, #"{"code":"invalid_sender_id"}"#, "rejected sender"),
            (400, #"{"code":"invalid_custom_code"}"#, "rejected content"),
            (400, #"{"code":"custom_code_not_allowed"}"#, "failed authentication"),
            (401, #"{"code":"invalid_api_key"}"#, "failed authentication"), (403, "", "failed authentication"),
            (400, #"{"code":"insufficient_balance"}"#, "failed response"), (429, "", "failed response"),
            (500, #"{"code":"internal"}"#, "failed response"), (422, "{}", "rejected content"),
        ])
    func prelude(status: Int, body: String, expected: String) throws {
        let gateway = PreludeVerify(RouteSettings(kind: .prelude))
        #expect(outcome(gateway.result(status: status, answer: try answer(body), text: Self.text)) == expected)
    }

    // Proves: M7
    @Test("A reason has the words of the gateway, without the secret and the code")
    func reasons() throws {
        let members: [String: JSONValue] = ["code": .int(21_617), "message": "body 482913 and s3cret\r\nis too long"]
        let gateway = try #require(Twilio(RouteSettings(kind: .twilio, account: "AC", from: "+1")))
        #expect(
            gateway.result(status: 400, answer: members, text: Self.text).failure?.reason
                == "HTTP 400: Twilio 21617: body (hidden) and (hidden) is too long")
    }

    @Test("What Twilio repeats of the header with the credentials is hidden")
    func credentials() throws {
        let account = "AC" + String(repeating: "0", count: 32)
        let gateway = try #require(Twilio(RouteSettings(kind: .twilio, account: account, from: "+1")))
        let text = ReasonText(hiding: gateway.credentials(with: "s3cret-token"), code: nil)
        let basic = Data("\(account):s3cret-token".utf8).base64EncodedString()
        for (repeated, shown) in [(basic, "(hidden)"), ("\(account):s3cret-token", "\(account):(hidden)")] {
            let message = JSONValue.string("Basic \(repeated) is invalid")
            let answer: [String: JSONValue] = ["code": .int(20_003), "message": message]
            let reason = gateway.result(status: 401, answer: answer, text: text).failure?.reason
            #expect(reason == "HTTP 401: Twilio 20003: Basic \(shown) is invalid")
        }
    }
}
