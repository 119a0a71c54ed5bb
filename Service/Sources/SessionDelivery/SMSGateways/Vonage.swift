internal import SessionDomain
internal import SessionTokens

/// Vonage's SMS API. It answers with the status 200 in most cases, and with one status for each part of the message.
///
/// It has no key for repetitions, so an attempt whose answer cannot be read can send an SMS twice.
struct Vonage: Gateway {
    let kind = RouteSettings.Kind.vonage
    let url: String
    private let key: String
    private let from: String

    /// Vonage tries to deliver for at least this number of seconds, so that an SMS could arrive after the code's life.
    static let minimumLifetime: Int64 = 20

    init?(_ settings: RouteSettings) {
        guard let key = settings.username, let from = settings.from else { return nil }
        url = GatewayURL.joined(settings.url ?? "https://rest.nexmo.com", "sms/json")
        self.key = key
        self.from = from
    }

    func request(
        for message: OutboundMessage, secret: String, now: Timestamp
    ) throws(SendingFailure) -> GatewayRequest {
        let seconds = message.expiresAt.seconds - now.seconds
        guard seconds >= Self.minimumLifetime else {
            throw SendingFailure(
                .timeout, "Vonage needs \(Self.minimumLifetime) seconds, and the message expires before")
        }
        return GatewayRequest(
            form: [
                ("api_key", key), ("api_secret", secret), ("from", Self.withoutPlus(message.senderID ?? from)),
                ("to", Self.withoutPlus(message.to)), ("text", message.text),
                ("type", SMSLength(message.text).encoding == .gsm7 ? "text" : "unicode"),
                ("ttl", String(seconds * 1000)),
                ("client-ref", message.id),
            ], headers: [])
    }

    func result(status: Int, answer: [String: JSONValue], text: ReasonText) -> SendingResult {
        if let result = GatewayStatus.result(status, "HTTP \(status)") { return result }
        guard (200..<300).contains(status) else {
            return .failed(SendingFailure(.response, "HTTP \(status) without the status of a message"))
        }
        guard case .array(let parts) = answer["messages"], !parts.isEmpty else { return Self.unknown(status) }
        var reference: String?
        for (number, part) in parts.enumerated() {
            guard case .object(let members) = part, let code = members["status"]?.wholeNumber else {
                return Self.unknown(status)
            }
            if code != 0 {
                let message = members["error-text"]?.stringValue.map { ": " + text.clean($0) } ?? ""
                let reason = "Vonage \(code)\(message)"
                // The parts before are on their way.
                if number > 0 { return .failed(SendingFailure(.response, reason, finding: .mayBeSent)) }
                return Self.result(code, reason)
            }
            reference = reference ?? members["message-id"]?.stringValue.map(text.clean)
        }
        return .accepted(reference: reference)
    }

    /// Errors have 2xx, too, so that 2xx alone does not say whether the message is sent.
    private static func unknown(_ status: Int) -> SendingResult {
        .failed(SendingFailure(.response, "HTTP \(status) without the status of a message", finding: .mayBeSent))
    }

    /// The documented codes. None says for certain that the number does not exist, so another gateway may deliver.
    private static func result(_ code: Int, _ reason: String) -> SendingResult {
        switch code {
        // A prefix without a route, a barred number, a number that is out of service or not on the list of an account.
        case 6, 7, 22, 29, 33: .rejected(SendingFailure(.recipient, reason))
        case 15: .rejected(SendingFailure(.sender, reason))
        // Missing or invalid parameters, a message that is too long.
        case 2, 3, 12: .rejected(SendingFailure(.content, reason))
        // Invalid credentials or signature, a barred account, an account without this API.
        case 4, 8, 11, 14, 32: .failed(SendingFailure(.authentication, reason))
        // Throttled, an internal error, no credit, and codes that are not known.
        default: .failed(SendingFailure(.response, reason))
        }
    }

    private static func withoutPlus(_ number: String) -> String {
        number.hasPrefix("+") ? String(number.dropFirst()) : number
    }
}
