internal import Foundation
internal import SessionDomain
internal import SessionTokens

/// Twilio's Messages resource.
///
/// It has no key for repetitions: 2xx is an SMS, also if the answer cannot be read.
struct Twilio: Gateway {
    let kind = RouteSettings.Kind.twilio
    let url: String
    /// The user of Basic authentication: the SID of the account or of an API key.
    private let username: String
    private let from: String

    init?(_ settings: RouteSettings) {
        guard let account = settings.account, let from = settings.from else { return nil }
        let base = settings.url ?? "https://api.twilio.com"
        url = GatewayURL.joined(base, "2010-04-01/Accounts/\(account)/Messages.json")
        username = settings.username ?? account
        self.from = from
    }

    func request(
        for message: OutboundMessage, secret: String, now: Timestamp
    ) throws(SendingFailure) -> GatewayRequest {
        let sender = message.senderID ?? from
        var form: [(String, String)] = [
            ("To", message.to), (sender.hasPrefix("MG") && sender.count == 34 ? "MessagingServiceSid" : "From", sender),
            // Seconds for which Twilio tries to deliver, at most four hours.
            ("ValidityPeriod", String(min(max(message.expiresAt.seconds - now.seconds, 1), 14_400))),
        ]
        if let template = message.templateID, template.hasPrefix("HX") {
            // A template of Twilio's Content API: {{1}} is the code, {{2}} the name of the app.
            let variables = ["1": message.code ?? message.text, "2": message.appName].mapValues(JSONValue.string)
            let json = (try? TokenJSON.encode(variables)) ?? Data()
            form += [("ContentSid", template), ("ContentVariables", String(decoding: json, as: UTF8.self))]
        } else {
            form.append(("Body", message.text))
        }
        return GatewayRequest(form: form, headers: [.init(name: "Authorization", value: "Basic \(basic(secret))")])
    }

    func credentials(with secret: String) -> [String] { [basic(secret), secret] }

    /// The credentials of Basic authentication (RFC 7617 §2).
    private func basic(_ secret: String) -> String { Data("\(username):\(secret)".utf8).base64EncodedString() }

    func result(status: Int, answer: [String: JSONValue], text: ReasonText) -> SendingResult {
        let code = answer["code"]?.wholeNumber ?? answer["error_code"]?.wholeNumber
        let message = answer["message"]?.stringValue.map(text.clean)
        let reason = GatewayStatus.reason(
            status, code.map { "Twilio \($0)\(message.map { ": \($0)" } ?? "")" } ?? message)
        if let code, let result = Self.result(code, reason) { return result }
        if let result = GatewayStatus.result(status, reason) { return result }
        guard (200..<300).contains(status) else { return .rejected(SendingFailure(.content, reason)) }
        if let state = answer["status"]?.stringValue, ["failed", "undelivered", "canceled"].contains(state) {
            return .rejected(SendingFailure(.response, "\(reason), and the message is \(state)"))
        }
        return .accepted(reference: answer["sid"]?.stringValue.map(text.clean))
    }

    /// The documented codes of the errors of a request.
    private static func result(_ code: Int, _ reason: String) -> SendingResult? {
        switch code {
        // No valid number, or none of a mobile phone.
        case 21211, 21614: .rejected(SendingFailure(.recipient, reason, finding: .unknownRecipient))
        // A country that is turned off, a recipient who has unsubscribed from the sender, no route from it, a number that
        // the test account has not verified: another account or gateway may deliver.
        case 21214, 21217, 21265, 21408, 21421, 21608, 21610, 21612: .rejected(SendingFailure(.recipient, reason))
        case 21212, 21603, 21606, 21618, 21659, 21660, 21661, 21701, 21703: .rejected(SendingFailure(.sender, reason))
        case 21602, 21617, 21619, 21654, 21655, 21656, 92005: .rejected(SendingFailure(.content, reason))
        case 20003, 20005, 20006: .failed(SendingFailure(.authentication, reason))
        // Too many messages wait.
        case 20429, 21611: .failed(SendingFailure(.response, reason))
        default: nil
        }
    }
}
