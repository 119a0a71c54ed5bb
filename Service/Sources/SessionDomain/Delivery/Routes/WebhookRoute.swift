internal import Foundation
internal import SessionTokens

/// Gives messages to the operator's backend in signed requests. The backend sends them.
struct WebhookRoute: TestableRoute {
    let name = RouteSettings.Kind.webhook.rawValue
    let channel: OTPLoginConfig.Channel
    let url: String
    let call: HookCall
    let directory: AppDirectory
    let environment: ServiceEnvironment

    static let agent = "Prelude-SessionDelivery/1.0"
    /// Seconds for the whole call.
    static let timeout = 10

    private struct Body: Encodable {
        let message: OutboundMessage

        private enum CodingKeys: String, CodingKey {
            case id, channel, purpose, to, locale, code, subject, text, html
            case appID = "app_id"
            case appName = "app_name"
            case senderID = "sender_id"
            case templateID = "template_id"
            case expiresAt = "expires_at"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(message.id, forKey: .id)
            try container.encode(message.appID, forKey: .appID)
            try container.encode(message.appName, forKey: .appName)
            try container.encode(message.channel, forKey: .channel)
            try container.encode(message.purpose, forKey: .purpose)
            try container.encode(message.to, forKey: .to)
            try container.encode(message.locale, forKey: .locale)
            try container.encodeIfPresent(message.code, forKey: .code)
            try container.encodeIfPresent(message.subject, forKey: .subject)
            try container.encode(message.text, forKey: .text)
            try container.encodeIfPresent(message.html, forKey: .html)
            try container.encodeIfPresent(message.senderID, forKey: .senderID)
            try container.encodeIfPresent(message.templateID, forKey: .templateID)
            try container.encode(message.expiresAt.rfc3339, forKey: .expiresAt)
        }
    }

    func send(_ message: OutboundMessage) async -> SendingResult {
        let seconds = min(Self.timeout, Int(message.expiresAt.seconds - environment.now().seconds))
        guard seconds > 0 else { return .failed(SendingFailure(.timeout, "the message has expired")) }
        do {
            let answer = try await call.post(
                Body(message: message), to: url, agent: Self.agent, timeout: seconds,
                app: try await directory.app(message.appID))
            return Self.result(answer)
        } catch let error as EgressError {
            return .failed(SendingFailure(error))
        } catch {
            return .failed(SendingFailure(.authentication, "the request cannot be signed"))
        }
    }

    func report(on message: OutboundMessage) async -> RouteReport {
        RouteReport(ofCall: await send(message), to: url, hasAccount: true)
    }

    /// 2xx accepts the message. 400 and 422 reject it, and the member `error` can name `recipient`, `sender` or `content`,
    /// or `unknown_recipient` for one that does not exist, so that no other route is asked. After everything else the
    /// worker tries again. Texts of the backend are not repeated: they could contain the code.
    static func result(_ answer: EgressAnswer) -> SendingResult {
        let members = (try? TokenJSON.decode([String: JSONValue].self, from: answer.body)) ?? [:]
        switch answer.status {
        case 200..<300:
            let id = members["id"]?.stringValue.flatMap { $0.utf8.count <= 100 && Self.isVisible($0) ? $0 : nil }
            return .accepted(reference: id)
        case 400, 422:
            let reason = "HTTP \(answer.status)"
            switch members["error"]?.stringValue {
            case "unknown_recipient":
                return .rejected(SendingFailure(.recipient, reason, finding: .unknownRecipient))
            case "recipient": return .rejected(SendingFailure(.recipient, reason))
            case "sender": return .rejected(SendingFailure(.sender, reason))
            default: return .rejected(SendingFailure(.content, reason))
            }
        case 401, 403: return .failed(SendingFailure(.authentication, "HTTP \(answer.status)"))
        default: return .failed(SendingFailure(.response, "HTTP \(answer.status)"))
        }
    }

    private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension SendingFailure {
    /// The stage and the reason of a call that got no answer.
    package init(_ error: EgressError) {
        let stage: Stage
        switch error {
        case .cannotResolve: stage = .nameResolution
        case .refusedAddress, .refusedURL: stage = .addressRules
        case .timedOut: stage = .timeout
        case .answerTooLarge: stage = .response
        case .connectionFailed(let reason):
            stage = reason.contains("certificate") || reason.contains("TLS") ? .tls : .connection
        }
        self.init(stage, String(error.summary.prefix(200)))
    }
}
