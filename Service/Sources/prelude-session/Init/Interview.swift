import ArgumentParser
import Foundation
import SessionDomain
import SessionEgress

/// Takes values from flags, and asks for the missing ones on a terminal.
///
/// Without a terminal it collects the names of the flags that are missing, so that an operator sees all of them at once.
struct Interview {
    let isOnTerminal: Bool
    private(set) var missing: [String] = []

    init(isOnTerminal: Bool = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1) {
        self.isOnTerminal = isOnTerminal
    }

    /// Returns the value of a flag, or the answer to a question.
    ///
    /// - Parameters:
    ///   - flag: The name with `--`.
    ///   - value: The value of the flag.
    ///   - suggestion: The answer for an empty line.
    ///   - check: Returns the value as it is stored. A question is asked again with the text of its error.
    /// - Returns: An empty text without value and terminal.
    /// - Throws: `ConfigurationError` for an invalid value of the flag.
    mutating func answer(
        _ flag: String, _ value: String?, _ question: String, suggestion: String? = nil,
        check: (String) throws -> String = { $0 }
    ) throws -> String {
        if let value {
            do {
                return try check(value)
            } catch {
                throw ConfigurationError(flag, Self.text(of: error))
            }
        }
        guard isOnTerminal else {
            missing.append(flag)
            return ""
        }
        while true {
            Prompt.say(question + (suggestion.map { " [\($0)]" } ?? "") + ": ", newline: false)
            guard let line = readLine() else { throw ValidationError("The input ended at the question for \(flag).") }
            let text = line.trimmingCharacters(in: .whitespaces)
            guard let text = text.isEmpty ? suggestion : text else { continue }
            do {
                return try check(text)
            } catch {
                Prompt.say("  \(Self.text(of: error))")
            }
        }
    }

    /// Returns a choice of flags, or asks for yes or no.
    ///
    /// - Parameters:
    ///   - value: Whether the flags say yes or no. `nil`: they say nothing.
    ///   - flags: The flags that would decide.
    mutating func isWanted(_ value: Bool?, flags: String, _ question: String) throws -> Bool {
        if let value { return value }
        let text = try answer(flags, nil, question + " (yes or no)", suggestion: "no") { text in
            guard ["y", "yes", "n", "no"].contains(text.lowercased()) else {
                throw ValidationProblem("Enter yes or no.")
            }
            return text
        }
        return text.lowercased().hasPrefix("y")
    }

    /// - Throws: `ValidationError` with the flags that are missing.
    func check() throws {
        guard missing.isEmpty else {
            throw ValidationError(
                "There is no terminal to ask on, and these flags are missing: \(missing.joined(separator: "; ")).")
        }
    }

    /// The text without the name of a field: the flag or the question names it.
    private static func text(of error: any Error) -> String {
        switch error {
        case Refusal.invalidField(_, let problem): problem
        case let error as RouteProblem: error.problem
        case let error as SendingFailure: error.reason
        default: "\(error)"
        }
    }
}

/// An answer is invalid.
struct ValidationProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Checks answers about a route as soon as they are typed.
private enum RouteAnswer {
    static func checked(_ text: String, as field: RouteField, of kind: RouteSettings.Kind) throws -> String {
        if let problem = RouteSettings.problem(with: text, as: field, of: kind) { throw problem }
        return text
    }

    static func one<Value: CaseIterable & RawRepresentable>(of type: Value.Type, _ text: String) throws -> Value
    where Value.RawValue == String {
        guard let value = Value(rawValue: text.lowercased()) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationProblem("must be one of \(names)")
        }
        return value
    }

    static func port(_ text: String) throws -> String {
        guard let port = Int(text), (1...65535).contains(port) else {
            throw ValidationProblem("must be a number from 1 to 65535")
        }
        return String(port)
    }

    /// Returns the absolute path of a file that contains a secret.
    static func secretFile(_ path: String) throws -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw ValidationProblem(
                "\(path.escapedForTerminal) does not exist or cannot be read by this user. Write the secret into it, mode "
                    + "0600")
        }
        _ = try RouteSecret.file(path).read()
        return try path.checkedPath()
    }
}

extension String {
    /// The path from the root of the file system. A relative one would depend on the folder in which the service starts.
    ///
    /// - Throws: `ValidationProblem` for characters that a settings file cannot show.
    func checkedPath() throws -> String {
        guard !isEmpty, escapedForTerminal == self else {
            throw ValidationProblem("must be a path, without line breaks and control characters")
        }
        return URL(fileURLWithPath: self).standardizedFileURL.path
    }
}

/// Asks for the server that sends mail.
struct MailQuestions {
    let options: DeliveryOptions

    /// The settings for mail, or `nil` if the service sends none.
    func settings(asking interview: inout Interview, _ networks: inout OwnNetworks) throws -> [DeliverySetting]? {
        let choice = options.noEmail ? false : options.emailHost.map { _ in true }
        guard try interview.isWanted(choice, flags: "--email-host or --no-email", "Send codes by mail?") else {
            return nil
        }
        let host = try interview.answer("--email-host", options.emailHost, "Mail server") {
            try RouteAnswer.checked($0, as: .host, of: .smtp)
        }
        if !host.isEmpty {
            try networks.allow(
                "--email-host", "https://\(host.contains(":") ? "[\(host)]" : host)",
                suggestion: IPNetwork.isAddress(host) ? host : nil, asking: &interview)
        }
        // The port comes first: it says how TLS begins (RFC 8314 §3.3).
        let usualPort = options.emailTLS?.lowercased() == "implicit" ? "465" : "587"
        let port = try interview.answer(
            "--email-port", options.emailPort ?? interview.offTerminal(usualPort), "Port", suggestion: usualPort,
            check: RouteAnswer.port)
        let usualTLS = port == "465" ? "implicit" : "starttls"
        let tls = try interview.answer(
            "--email-tls", options.emailTLS ?? interview.offTerminal(usualTLS), "TLS: starttls or implicit",
            suggestion: usualTLS
        ) { text in
            let tls = try RouteAnswer.one(of: RouteSettings.TLSMode.self, text)
            let route = RouteSettings(kind: .smtp, port: Int(port), tls: tls)
            if let problem = route.problems(for: .email, hasSecret: false).first(where: { $0.field == .tls }) {
                throw problem
            }
            return tls.rawValue
        }
        let from = try interview.answer("--email-from", options.emailFrom, "Sender, such as login@example.com") {
            try RouteAnswer.checked($0, as: .from, of: .smtp)
        }
        let settings: [DeliverySetting] = [
            (.emailRoute, "smtp"), (.emailHost, host), (.emailPort, port), (.emailTls, tls), (.emailFrom, from),
        ]
        return settings + (try account(asking: &interview))
    }

    private func account(asking interview: inout Interview) throws -> [DeliverySetting] {
        let username = try interview.answer(
            "--email-username", options.emailUsername ?? interview.offTerminal("none"), "User name", suggestion: "none"
        ) { try RouteAnswer.checked($0, as: .username, of: .smtp) }
        guard username != "none" else {
            guard options.emailSecretFile == nil else {
                throw ConfigurationError("--email-secret-file", "needs --email-username")
            }
            return []
        }
        let file = try interview.answer(
            "--email-secret-file", options.emailSecretFile, "File that contains the password",
            check: RouteAnswer.secretFile)
        return [(.emailUsername, username), (.emailSecretFile, file)]
    }
}

extension Interview {
    /// The default of a value that is not required, where it cannot be asked for.
    fileprivate func offTerminal(_ value: String) -> String? { isOnTerminal ? nil : value }
}

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
