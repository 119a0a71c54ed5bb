import Foundation
import SessionDomain
import SessionTokens
import Testing

@testable import SessionDelivery

@Suite("Requests to gateways")
struct GatewayRequestTests {
    private static let account = "AC" + String(repeating: "0", count: 32)

    private func twilio(_ from: String = "+15005550006", username: String? = nil, url: String? = nil) throws -> Twilio {
        try #require(
            Twilio(RouteSettings(kind: .twilio, username: username, account: Self.account, url: url, from: from)))
    }

    private func vonage() throws -> Vonage {
        try #require(Vonage(RouteSettings(kind: .vonage, username: "key1", from: "+33700000000")))
    }

    private func body(_ request: GatewayRequest) -> String { String(decoding: request.body, as: UTF8.self) }

    private func header(_ name: String, _ request: GatewayRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    @Test("Twilio gets a form, the credentials, and the seconds until the code expires")
    func twilioForm() throws {
        let gateway = try twilio()
        let request = try gateway.request(
            for: message(.sms, text: "482 913 & more ü"), secret: "t0ken", now: now)
        #expect(gateway.url == "https://api.twilio.com/2010-04-01/Accounts/\(Self.account)/Messages.json")
        #expect(
            body(request)
                == "To=%2B14155550123&From=%2B15005550006&ValidityPeriod=600&Body=482%20913%20%26%20more%20%C3%BC")
        let basic = Data("\(Self.account):t0ken".utf8).base64EncodedString()
        #expect(header("Authorization", request) == "Basic \(basic)")
        #expect(header("Content-Type", request) == "application/x-www-form-urlencoded")
    }

    @Test(
        "The login's sender id replaces the route's; a Messaging Service and a template have own fields"
    )
    func twilioSenders() throws {
        let service = "MG" + String(repeating: "1", count: 32)
        let template = "HX" + String(repeating: "2", count: 32)
        let gateway = try twilio(username: "SK" + String(repeating: "3", count: 32), url: "https://eu.example/")
        #expect(gateway.url.hasPrefix("https://eu.example/2010-04-01/"))
        let named = try gateway.request(for: message(.sms, senderID: "Shop"), secret: "s", now: now)
        #expect(body(named).contains("&From=Shop&"))
        let templated = try gateway.request(
            for: message(.sms, senderID: service, templateID: template), secret: "s", now: now)
        #expect(body(templated).contains("&MessagingServiceSid=\(service)&"))
        #expect(body(templated).contains("&ContentSid=\(template)&ContentVariables=%7B%221%22%3A%22482913%22"))
        #expect(!body(templated).contains("Body="))
    }

    @Test("Vonage gets numbers without plus, the alphabet that fits, milliseconds, and the id of the message")
    func vonageForm() throws {
        let request = try vonage().request(for: message(.sms, text: "482913"), secret: "s3cret", now: now)
        #expect(
            body(request)
                == "api_key=key1&api_secret=s3cret&from=33700000000&to=14155550123&text=482913&type=text&ttl=600000"
                + "&client-ref=msg_01ABC")
        let greek = try vonage().request(for: message(.sms, text: "Κωδικός 482913"), secret: "s", now: now)
        #expect(body(greek).contains("&type=unicode&"))
        let short = try vonage().request(for: message(.sms, expiresAt: now + 20), secret: "s", now: now)
        #expect(body(short).contains("&ttl=20000&"))
    }

    @Test("Vonage gets no message that it could deliver after the life of the code")
    func vonageLifetime() throws {
        let gateway = try vonage()
        for seconds in [0, 1, 19] {
            let late = try message(.sms, expiresAt: now + seconds)
            let failure = #expect(throws: SendingFailure.self) { try gateway.request(for: late, secret: "s", now: now) }
            #expect(failure?.stage == .timeout)
        }
    }

    @Test("Prelude gets the code, the language, sender, template, and the id of the message, but no text")
    func preludeBody() throws {
        let gateway = PreludeVerify(RouteSettings(kind: .prelude, from: "SHOP"))
        let request = try gateway.request(
            for: message(.sms, locale: "fr-FR", templateID: "tpl_1"), secret: "k3y", now: now)
        #expect(gateway.url == "https://api.prelude.dev/v2/verification")
        #expect(header("Authorization", request) == "Bearer k3y")
        let json = try TokenJSON.decode([String: JSONValue].self, from: Data(request.body))
        #expect(json["target"] == .object(["type": "phone_number", "value": "+14155550123"]))
        #expect(
            json["options"]
                == .object(["custom_code": "482913", "locale": "fr-FR", "sender_id": "SHOP", "template_id": "tpl_1"]))
        #expect(json["metadata"] == .object(["correlation_id": "msg_01ABC"]))
    }

    @Test("Prelude sends no message without a code")
    func preludeNotice() throws {
        let gateway = PreludeVerify(RouteSettings(kind: .prelude))
        let notice = try message(.sms, code: nil)
        #expect(throws: SendingFailure.self) { try gateway.request(for: notice, secret: "k", now: now) }
    }
}
