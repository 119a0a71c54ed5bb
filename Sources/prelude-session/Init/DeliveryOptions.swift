import ArgumentParser
import Foundation

/// The flags of `init` for mail and SMS.
@available(service, *)
struct DeliveryOptions: ParsableArguments {
    @Option(help: "The server that sends mail, such as smtp.example.com.") var emailHost: String?
    @Option(help: "Its port. (default: 587, or 465 with --email-tls implicit)") var emailPort: String?
    @Option(help: "How TLS begins: starttls, or implicit from the first byte. (default: starttls)")
    var emailTLS: String?
    @Option(help: "The user name at the mail server. (default: none)") var emailUsername: String?
    @Option(help: "The file that contains the password of the mail server.") var emailSecretFile: String?
    @Option(help: "The sender of mail, such as login@example.com or \"Example <login@example.com>\".")
    var emailFrom: String?
    @Flag(help: "Send no mail.") var noEmail = false

    @Option(help: "The gateway that sends SMS: twilio, vonage, prelude or webhook.") var smsRoute: String?
    @Option(help: "The account at the gateway (Twilio: the Account SID).") var smsAccount: String?
    @Option(help: "The user name or API key at the gateway.") var smsUsername: String?
    @Option(help: "The file that contains the secret of the gateway.") var smsSecretFile: String?
    @Option(help: "The sender of SMS: a phone number or a sender id.") var smsFrom: String?
    @Option(help: "The URL of a webhook that sends SMS.") var smsURL: String?
    @Flag(help: "Send no SMS.") var noSMS = false

    /// The settings for mail, or `nil` if the service sends none.
    func mail(asking interview: inout Interview) throws -> [DeliverySetting]? {
        let choice = noEmail ? false : emailHost.map { _ in true }
        guard try interview.isWanted(choice, flags: "--email-host or --no-email", "Send codes by mail?") else {
            return nil
        }
        let host = try interview.answer("--email-host", emailHost, "Mail server")
        let tls = try interview.answer(
            "--email-tls", emailTLS ?? interview.offTerminal("starttls"), "TLS: starttls or implicit",
            suggestion: "starttls"
        ) { try oneOf(["starttls", "implicit"], $0) }
        let usual = tls == "implicit" ? "465" : "587"
        let port = try interview.answer(
            "--email-port", emailPort ?? interview.offTerminal(usual), "Port", suggestion: usual, check: portNumber)
        let from = try interview.answer("--email-from", emailFrom, "Sender, such as login@example.com") { text in
            guard text.contains("@") else { throw ValidationError("must be a mail address") }
            return text
        }
        let username = try interview.answer(
            "--email-username", emailUsername ?? interview.offTerminal("none"), "User name", suggestion: "none")
        var settings: [DeliverySetting] = [
            (.emailRoute, "smtp"), (.emailHost, host), (.emailPort, port), (.emailTls, tls), (.emailFrom, from),
        ]
        guard username != "none" else { return settings }
        settings.append((.emailUsername, username))
        settings.append(
            (
                .emailSecretFile,
                try interview.answer(
                    "--email-secret-file", emailSecretFile, "File that contains the password", check: secretFile)
            ))
        return settings
    }

    /// The settings for SMS, or `nil` if the service sends none.
    func sms(asking interview: inout Interview) throws -> [DeliverySetting]? {
        let choice = noSMS ? false : smsRoute.map { _ in true }
        guard try interview.isWanted(choice, flags: "--sms-route or --no-sms", "Send codes by SMS?") else {
            return nil
        }
        let provider = try interview.answer(
            "--sms-route", smsRoute, "Gateway: twilio, vonage, prelude or webhook"
        ) {
            try oneOf(["twilio", "vonage", "prelude", "webhook"], $0)
        }
        var settings: [DeliverySetting] = [(.smsRoute, provider)]
        func ask(_ name: ServiceConfiguration.Key, _ value: String?, _ question: String) throws {
            let isFile = name == .smsSecretFile
            let answer = try interview.answer("--\(name.flag)", value, question) { isFile ? try secretFile($0) : $0 }
            settings.append((name, answer))
        }
        if provider == "webhook" {
            try ask(.smsUrl, smsURL, "URL of the webhook")
            return settings
        }
        if provider == "twilio" { try ask(.smsAccount, smsAccount, "Account SID") }
        if provider == "vonage" { try ask(.smsUsername, smsUsername, "API key") }
        try ask(.smsSecretFile, smsSecretFile, "File that contains the secret")
        if provider != "prelude" { try ask(.smsFrom, smsFrom, "Sender: a phone number or a sender id") }
        return settings
    }

    private func oneOf(_ values: [String], _ text: String) throws -> String {
        guard values.contains(text.lowercased()) else {
            throw ValidationError("must be one of \(values.joined(separator: ", "))")
        }
        return text.lowercased()
    }

    private func portNumber(_ text: String) throws -> String {
        guard let port = Int(text), (1...65535).contains(port) else {
            throw ValidationError("must be a number from 1 to 65535")
        }
        return String(port)
    }

    private func secretFile(_ path: String) throws -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw ValidationError(
                "\(path) does not exist or cannot be read by this user. Write the secret into it, mode 0600")
        }
        return path.absolutePath
    }
}

@available(service, *)
typealias DeliverySetting = (name: ServiceConfiguration.Key, value: String)

extension Interview {
    /// The default of a value that is not required, where it cannot be asked for.
    fileprivate func offTerminal(_ value: String) -> String? { isOnTerminal ? nil : value }
}

extension String {
    /// The path from the root of the file system. A relative one would depend on the folder in which the service starts.
    var absolutePath: String { URL(fileURLWithPath: self).standardizedFileURL.path }
}
