import SessionDomain
import SessionEgress

/// Asks for the gateway that sends SMS.
struct SMSQuestions {
    let options: DeliveryOptions

    /// The settings for SMS, or `nil` if the service sends none.
    func settings(asking interview: inout Interview, _ networks: inout OwnNetworks) throws -> [DeliverySetting]? {
        let choice = options.noSMS ? false : options.smsRoute.map { _ in true }
        guard try interview.isWanted(choice, flags: "--sms-route or --no-sms", "Send codes by SMS?") else {
            return nil
        }
        let kinds = OTPLoginConfig.Channel.sms.routeKinds
        let names = kinds.map(\.rawValue)
        let name = try interview.answer(
            "--sms-route", options.smsRoute, "Gateway: \(names.dropLast().joined(separator: ", ")) or webhook"
        ) { text in
            guard names.contains(text.lowercased()) else {
                throw ValidationProblem("must be one of \(names.joined(separator: ", "))")
            }
            return text.lowercased()
        }
        // Without a name, the name of the flag is missing, and the others cannot be asked for.
        guard let kind = RouteSettings.Kind(rawValue: name) else { return nil }
        var settings: [DeliverySetting] = [(.smsRoute, name)]
        for (key, field, value, question) in questions(of: kind) {
            // What the gateway does not need is not asked for. A flag that it does not know is rejected with the others.
            guard let question = question ?? value.map({ _ in "" }) else { continue }
            let answer = try interview.answer("--\(key.flag)", value, question) { text in
                switch field {
                case .secret: try RouteAnswer.secretFile(text)
                case .url: try Self.checkedURL(text)
                default: try RouteAnswer.checked(text, as: field, of: kind)
                }
            }
            if field == .url, !answer.isEmpty {
                try networks.allow("--sms-url", answer, suggestion: nil, asking: &interview)
            }
            settings.append((key, answer))
        }
        return settings
    }

    private typealias Question = (
        key: ServiceConfiguration.Key, field: RouteField, value: String?, question: String?
    )

    /// The settings of a gateway with their flags. Those that it does not require have no question.
    private func questions(of kind: RouteSettings.Kind) -> [Question] {
        let account = kind == .twilio ? "Account SID" : nil
        let username = kind == .vonage ? "API key" : nil
        let secret = kind == .webhook ? nil : "File that contains the secret"
        let from = [.twilio, .vonage].contains(kind) ? "Sender: a phone number or a sender id" : nil
        let url = kind == .webhook ? "URL of the webhook" : nil
        return [
            (.smsAccount, .account, options.smsAccount, account),
            (.smsUsername, .username, options.smsUsername, username),
            (.smsSecretFile, .secret, options.smsSecretFile, secret), (.smsFrom, .from, options.smsFrom, from),
            (.smsUrl, .url, options.smsURL, url),
        ]
    }

    /// Checks the form. Which addresses may be called depends on the networks.
    private static func checkedURL(_ text: String) throws -> String {
        do {
            try EgressPolicy().validate(url: text)
        } catch .refusedURL(let reason) {
            throw ValidationProblem(reason)
        } catch {}
        return text
    }
}
