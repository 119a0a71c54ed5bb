import ArgumentParser

/// The flags of `init` for mail and SMS.
struct DeliveryOptions: ParsableArguments {
    @Option(help: "The server that sends mail, such as smtp.example.com.") var emailHost: String?
    @Option(help: "Its port. (default: 587, or 465 with --email-tls implicit)") var emailPort: String?
    @Option(
        help: "How TLS begins: starttls, or implicit from the first byte. (default: implicit for port 465)",
        completion: .list(["starttls", "implicit"]))
    var emailTLS: String?
    @Option(help: "The user name at the mail server. (default: none)") var emailUsername: String?
    @Option(help: "The file that contains the password of the mail server.", completion: .file())
    var emailSecretFile: String?
    @Option(help: "The sender of mail, such as login@example.com or \"Example <login@example.com>\".")
    var emailFrom: String?
    @Flag(help: "Send no mail.") var noEmail = false

    @Option(
        help: "The gateway that sends SMS: twilio, vonage, prelude or webhook.",
        completion: .list(["twilio", "vonage", "prelude", "webhook"]))
    var smsRoute: String?
    @Option(help: "The account at the gateway (Twilio: the Account SID).") var smsAccount: String?
    @Option(help: "The user name or API key at the gateway.") var smsUsername: String?
    @Option(help: "The file that contains the secret of the gateway.", completion: .file())
    var smsSecretFile: String?
    @Option(help: "The sender of SMS: a phone number or a sender id.") var smsFrom: String?
    @Option(help: "The URL of a webhook that sends SMS, or of a gateway in another region.") var smsURL: String?
    @Flag(help: "Send no SMS.") var noSMS = false

    /// Rejects flags that contradict `--no-email` or `--no-sms`.
    func checkFit() throws {
        let mail = [
            ("--email-host", emailHost), ("--email-port", emailPort), ("--email-tls", emailTLS),
            ("--email-username", emailUsername), ("--email-secret-file", emailSecretFile), ("--email-from", emailFrom),
        ]
        let sms = [
            ("--sms-route", smsRoute), ("--sms-account", smsAccount), ("--sms-username", smsUsername),
            ("--sms-secret-file", smsSecretFile), ("--sms-from", smsFrom), ("--sms-url", smsURL),
        ]
        for (isOff, flag, others) in [(noEmail, "--no-email", mail), (noSMS, "--no-sms", sms)] where isOff {
            guard let (other, _) = others.first(where: { $0.1 != nil }) else { continue }
            throw ConfigurationError(other, "contradicts \(flag). Remove one of them")
        }
    }
}

typealias DeliverySetting = (name: ServiceConfiguration.Key, value: String)
