internal import SessionDomain
internal import SessionTokens

/// Vonage's SMS API. It answers with the status 200 in most cases, and with one status for each part of the message.
///
/// It has no key for repetitions, so an attempt without an answer can send an SMS twice.
struct Vonage: Gateway {
    let kind = RouteSettings.Kind.vonage
    let url: String
    private let key: String
    private let from: String

    init?(_ settings: RouteSettings) {
        guard let key = settings.username, let from = settings.from else { return nil }
        url = GatewayURL.joined(settings.url ?? "https://rest.nexmo.com", "sms/json")
        self.key = key
        self.from = from
    }

    func request(
        for message: OutboundMessage, secret: String, now: Timestamp
    ) throws(SendingFailure) -> GatewayRequest {
        // Milliseconds for which Vonage tries to deliver, at least 20 seconds.
        let milliseconds = max((message.expiresAt.seconds - now.seconds) * 1000, 20_000)
        return GatewayRequest(
            form: [
                ("api_key", key), ("api_secret", secret), ("from", Self.withoutPlus(message.senderID ?? from)),
                ("to", Self.withoutPlus(message.to)), ("text", message.text),
                ("type", SMSAlphabet.contains(message.text) ? "text" : "unicode"), ("ttl", String(milliseconds)),
                ("client-ref", message.id),
            ], headers: [])
    }

    func result(status: Int, answer: [String: JSONValue], text: ReasonText) -> SendingResult {
        if let result = GatewayStatus.result(status, "HTTP \(status)") { return result }
        guard (200..<300).contains(status), case .array(let parts) = answer["messages"], !parts.isEmpty else {
            return .failed(SendingFailure(.response, "HTTP \(status) without the status of a message"))
        }
        var reference: String?
        for part in parts {
            guard case .object(let members) = part, let code = members["status"]?.wholeNumber else {
                return .failed(SendingFailure(.response, "HTTP \(status) without the status of a message"))
            }
            if code != 0 {
                let message = members["error-text"]?.stringValue.map { ": " + text.clean($0) } ?? ""
                return Self.result(code, "Vonage \(code)\(message)")
            }
            reference = reference ?? members["message-id"]?.stringValue.map(text.clean)
        }
        return .accepted(reference: reference)
    }

    /// The documented codes.
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

/// The alphabet of an SMS with 7 bits per character (3GPP TS 23.038 §6.2.1).
enum SMSAlphabet {
    private static let characters = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§"
            + "¿abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€").unicodeScalars)

    static func contains(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(characters.contains) }
}
