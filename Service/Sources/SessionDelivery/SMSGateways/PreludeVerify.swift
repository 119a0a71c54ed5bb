internal import SessionDomain
internal import SessionTokens

/// Prelude's Verify API as a sender: this service chooses and checks the code (`options.custom_code`), and the provider
/// writes the text, by a template in the language of the message.
///
/// The provider must have turned on custom codes for the account. It sends codes only, so a notice is rejected.
struct PreludeVerify: Gateway {
    let kind = RouteSettings.Kind.prelude
    let url: String
    private let sender: String?

    init(_ settings: RouteSettings) {
        url = GatewayURL.joined(settings.url ?? "https://api.prelude.dev", "v2/verification")
        sender = settings.from
    }

    func request(
        for message: OutboundMessage, secret: String, now: Timestamp
    ) throws(SendingFailure) -> GatewayRequest {
        guard let code = message.code else {
            throw SendingFailure(.content, "Prelude's Verify API sends codes only, and this message has none")
        }
        var options: [String: JSONValue] = ["custom_code": .string(code), "locale": .string(message.locale)]
        if let sender = message.senderID ?? sender { options["sender_id"] = .string(sender) }
        if let template = message.templateID { options["template_id"] = .string(template) }
        let target: [String: JSONValue] = [
            "type": .string(message.channel.identifierType.rawValue), "value": .string(message.to),
        ]
        return GatewayRequest(
            [
                "target": .object(target), "options": .object(options),
                "metadata": .object(["correlation_id": .string(message.id)]),
            ], headers: [.init(name: "Authorization", value: "Bearer \(secret)")])
    }

    func result(status: Int, answer: [String: JSONValue], text: ReasonText) -> SendingResult {
        let code = answer["code"]?.stringValue
        let message = [code, answer["message"]?.stringValue].compactMap { $0 }.joined(separator: ": ")
        let reason = text.clean(GatewayStatus.reason(status, message.isEmpty ? nil : message))
        if let code, status >= 400, let result = Self.result(code, reason) { return result }
        if let result = GatewayStatus.result(status, reason) { return result }
        guard (200..<300).contains(status) else { return .rejected(SendingFailure(.content, reason)) }
        if answer["status"]?.stringValue == "blocked" {
            let cause = answer["reason"]?.stringValue.map { ": " + text.clean($0) } ?? ""
            return .rejected(SendingFailure(.recipient, "the provider blocks the verification\(cause)"))
        }
        return .accepted(reference: answer["id"]?.stringValue.map(text.clean))
    }

    /// The documented codes.
    private static func result(_ code: String, _ reason: String) -> SendingResult? {
        switch code {
        case "invalid_phone_number": .rejected(SendingFailure(.recipient, reason, finding: .unknownRecipient))
        // Other providers have other rules.
        case "invalid_line_type", "blocked", "channel_not_enabled_in_region",
            "email_verification_not_allowed":
            .rejected(SendingFailure(.recipient, reason))
        case "invalid_sender_id": .rejected(SendingFailure(.sender, reason))
        case "invalid_custom_code", "custom_size_conflict", "invalid_template_id", "invalid_template_variables",
            "invalid_locale", "invalid_request":
            .rejected(SendingFailure(.content, reason))
        case "custom_code_not_allowed", "invalid_api_key", "invalid_api_token", "invalid_bearer_token":
            .failed(SendingFailure(.authentication, reason))
        case "insufficient_balance", "internal": .failed(SendingFailure(.response, reason))
        default: nil
        }
    }
}
