import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

/// `prelude-session init`: sets up a new service, from nothing to the first app and a management key.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a new service: settings file, database, master keys, first app, management key.",
        discussion: """
            Asks on a terminal for what no flag gives. Run it as the user of the service: the files belong to the user who \
            creates them; those of root belong to the owner of their folder. It replaces no file: for an existing service \
            use `app create` and `key create`. The app has login with a code by e-mail, also while nothing sends mail, and \
            by SMS if a gateway is named.
            """)

    @Option(help: "The settings file to write.", completion: .file()) var config: String?
    @Option(help: "The origin at which apps reach the service. {app_id} in it stands for the id of an app.")
    var publicURL: String?
    @Option(help: "sqlite:PATH of the new database.") var database: String?
    @Option(help: "The name of the first app, which users see in messages.") var appName: String?
    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port to listen on.") var port = "8080"
    @Option(
        name: .customLong("trusted-proxy"),
        help: "The address or network of the proxy. Can be repeated. (default: 127.0.0.1 and ::1)")
    var trustedProxies: [String] = []
    @Option(
        name: .customLong("egress-network"),
        help: "A private network of yours with servers that the service calls, such as a mail server. Can be repeated.")
    var egressNetworks: [String] = []
    @OptionGroup(title: "Mail and SMS") var delivery: DeliveryOptions
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        try checkVariables()
        try checkFlags()
        var interview = Interview()
        let path = try interview.answer(
            "--config", config, "Settings file to write", suggestion: "/etc/prelude/session.json"
        ) { text in
            let path = try text.checkedPath()
            try NewSettingsFile(path: path).checkIsNew()
            return path
        }
        let name = try interview.answer("--app-name", appName, "Name of the app, which users see") { text in
            var sample = App.defaults
            sample.name = text
            try App.schema.check(sample)
            return sample.name
        }
        let id = AppID(environment: .live)
        let settings = try settings(for: id, asking: &interview)
        try interview.check()
        // The settings are checked as flags, so that an error names the flag and not a line of a file that is not there.
        let configuration = try ServiceConfiguration.loadForServing(
            flags: settings.flags, file: nil, environment: [:])
        let file = NewSettingsFile(path: path)
        try file.checkFolder()
        let result = try await create(id, name, settings, configuration)
        // The last step: a settings file under its name belongs to a service that is complete.
        try file.create(try settings.text(path: path))
        try show([("settings", path)] + result, settings)
    }

    /// A variable overrides the settings file: a service or a command with this environment would not use what `init`
    /// writes.
    private func checkVariables() throws {
        try EnvironmentVariables.check()
        let environment = ProcessInfo.processInfo.environment
        guard let variable = EnvironmentVariables.settings.first(where: { environment[$0] != nil }) else { return }
        throw ConfigurationError(
            variable, "is set, and overrides the settings file that this command writes. Run: unset \(variable)")
    }

    /// Checks the flags that no question replaces, before the first question.
    private func checkFlags() throws {
        try delivery.checkFit()
        var flags: [ServiceConfiguration.Key: String] = [.host: host, .port: port]
        if !trustedProxies.isEmpty { flags[.trustedProxies] = trustedProxies.joined(separator: ",") }
        if !egressNetworks.isEmpty { flags[.egressNetworks] = egressNetworks.joined(separator: ",") }
        let configuration = try ServiceConfiguration.load(flags: flags, file: nil, environment: [:])
        try ListenAddress(host: host, port: configuration.port).check(
            configuration.settings, host: .host, port: .port, mayBeUsed: true)
    }

    private func settings(for id: AppID, asking interview: inout Interview) throws -> NewSettings {
        let url = try interview.answer(
            "--public-url", publicURL,
            "Public URL, such as https://{app_id}.session.example.com or https://auth.example.com"
        ) { text in
            guard text.hasPrefix("https://") else { throw ValidationProblem("must begin with https://") }
            _ = try PublicOrigins(publicURL: text)
            return text
        }
        let database = try interview.answer(
            "--database", database, "Database file", suggestion: "/var/lib/prelude/session.sqlite", check: newDatabase)
        // As in `serve`, one flag may have several.
        let proxies = Settings.items(of: trustedProxies.joined(separator: ","))
        var networks = OwnNetworks(texts: Settings.items(of: egressNetworks.joined(separator: ",")))
        let mail = try MailQuestions(options: delivery).settings(asking: &interview, &networks)
        let sms = try SMSQuestions(options: delivery).settings(asking: &interview, &networks)
        return NewSettings(
            publicURL: url, database: database, host: host, port: Int(port).map { "\($0)" } ?? port,
            trustedProxies: proxies.isEmpty ? ["127.0.0.1", "::1"] : proxies,
            egressNetworks: networks.texts, defaultApp: url.contains("{app_id}") ? nil : id.rawValue, mail: mail,
            sms: sms)
    }

    /// Returns the path of a database that can be created.
    private func newDatabase(_ text: String) throws -> String {
        guard text != "sqlite::memory:" else { throw ValidationProblem("must be a file") }
        let path = try String(text.trimmingPrefix("sqlite:")).checkedPath()
        if let problem = WritableFolder(of: path).problem { throw ValidationProblem(problem) }
        guard !DatabaseFile.exists(at: path) else { throw ValidationProblem(Self.exists(path)) }
        return path
    }

    private static func exists(_ database: String) -> String {
        "\(database) exists already. Name another file, or use `app create` and `key create` with it. If an init that was "
            + "interrupted has left it, delete it with its .keys file"
    }

    /// Creates database, master keys, app and management key, with the settings of the new file alone.
    private func create(
        _ id: AppID, _ name: String, _ settings: NewSettings, _ configuration: ServiceConfiguration
    ) async throws -> [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        try await configuration.withAssembly(keys: .needed, opening: .creating) { assembly in
            // Another process may have created the database meanwhile.
            guard assembly.store.schema.found == 0 else {
                throw ConfigurationError("--database", Self.exists(settings.database))
            }
            let service = assembly.service
            let now = service.environment.now()
            // Most operators configure the delivery afterwards. Then the login is there.
            let channels: [OTPLoginConfig.Channel] = [.email] + (settings.sms == nil ? [] : [.sms])
            let app = try await service.apps.create(id: id, name: name) { app in
                app.otpLogins = channels.map {
                    OTPLoginConfig(id: service.environment.newID("lcfg"), channel: $0, isDefault: true, at: now)
                }
            }
            let secret = try await service.managementKeys.create(name: "init", app: nil).secret
            result = [
                ("database", settings.database),
                ("master keys", assembly.createdKeyFile ?? "not created: configured elsewhere"),
                ("app", app.id.rawValue), ("origin", try configuration.origins().origins(of: app).first ?? ""),
                ("management key", secret),
            ]
        }
        return result
    }

    private func show(_ result: [(name: String, value: String)], _ settings: NewSettings) throws {
        guard !json else {
            let members = Dictionary(uniqueKeysWithValues: result.map { ($0.name.replacing(" ", with: "_"), $0.value) })
            return try printJSON(members)
        }
        for (name, value) in result { print(name.padding(toLength: 16, withPad: " ", startingAt: 0) + value) }
        let path = result[0].value
        let remaining = settings.mail == nil ? "Mail cannot be sent yet: set emailRoute in the settings file.\n" : ""
        print(
            """

            The management key is valid for all apps and is not shown again. Back up the database with its master keys.
            \(remaining)Test the delivery: prelude-session delivery test --to ADDRESS --config \(path)
            Start the service: prelude-session serve --config \(path)
            """)
    }
}

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
