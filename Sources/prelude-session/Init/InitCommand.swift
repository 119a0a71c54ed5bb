import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

/// `prelude-session init`: sets up a new service, from nothing to the first app and a management key.
@available(service, *)
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a new service: settings file, database, master keys, first app, management key.",
        discussion: """
            Asks on a terminal for what no flag gives. Run it as the user of the service: the files belong to the user who \
            creates them. It replaces no file: for an existing service use `app create` and `key create`.
            """)

    @Option(help: "The settings file to write.") var config: String?
    @Option(help: "The origin at which apps reach the service. {app_id} in it stands for the id of an app.")
    var publicURL: String?
    @Option(help: "sqlite:PATH of the new database.") var database: String?
    @Option(help: "The name of the first app, which users see in messages.") var appName: String?
    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port to listen on.") var port = 8080
    @Option(
        name: .customLong("trusted-proxy"),
        help: "The address or network of the proxy. Can be repeated. (default: 127.0.0.1 and ::1)")
    var trustedProxies: [String] = []
    @OptionGroup(title: "Mail and SMS") var delivery: DeliveryOptions
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        var interview = Interview()
        let path = try interview.answer(
            "--config", config, "Settings file to write", suggestion: "/etc/prelude/session.json", check: \.absolutePath
        )
        let file = NewSettingsFile(path: path)
        if !path.isEmpty { try file.checkIsNew() }
        let name = try interview.answer("--app-name", appName, "Name of the app, which users see") { text in
            var sample = App(id: AppID(environment: .live), name: text, createdAt: ServiceEnvironment.live.now())
            try AppSettingsChange(name: text).apply(to: &sample)
            return sample.name
        }
        let id = AppID(environment: .live)
        let settings = try settings(for: id, asking: &interview)
        try interview.check()
        guard !DatabaseFile.exists(at: settings.database) else {
            throw ConfigurationError(
                "database",
                "\(settings.database) exists already. Name another file, or use `app create` and `key create` with it")
        }
        try file.create(try settings.text(path: path))
        do {
            let result = try await create(id, name, settings, path: path)
            try show(result)
        } catch {
            file.remove()
            throw error
        }
    }

    private func settings(for id: AppID, asking interview: inout Interview) throws -> NewSettings {
        let url = try interview.answer(
            "--public-url", publicURL,
            "Public URL, such as https://{app_id}.session.example.com or https://auth.example.com"
        ) { text in
            guard text.hasPrefix("https://") else { throw ValidationError("must begin with https://") }
            _ = try PublicOrigins(publicURL: text)
            return text
        }
        let database = try interview.answer(
            "--database", database, "Database file", suggestion: "/var/lib/prelude/session.sqlite"
        ) { text in
            guard text != "sqlite::memory:" else { throw ValidationError("must be a file") }
            return String(text.trimmingPrefix("sqlite:")).absolutePath
        }
        return NewSettings(
            publicURL: url, database: database, host: host, port: port,
            trustedProxies: trustedProxies.isEmpty ? ["127.0.0.1", "::1"] : trustedProxies,
            defaultApp: url.contains("{app_id}") ? nil : id.rawValue, mail: try delivery.mail(asking: &interview),
            sms: try delivery.sms(asking: &interview))
    }

    /// Creates database, master keys, app and management key, with the settings of the new file alone.
    private func create(
        _ id: AppID, _ name: String, _ settings: NewSettings, path: String
    ) async throws -> [(name: String, value: String)] {
        let configuration = try ServiceConfiguration.loadForServing(flags: [:], file: path, environment: [:])
        var result: [(name: String, value: String)] = []
        try await configuration.withAssembly(keys: .needed, opening: .creating) { assembly in
            let service = assembly.service
            let now = service.environment.now()
            let channels: [OTPLoginConfig.Channel] =
                (settings.mail == nil ? [] : [.email]) + (settings.sms == nil ? [] : [.sms])
            let app = try await service.apps.create(id: id, name: name) { app in
                app.otpLogins = channels.map {
                    OTPLoginConfig(id: service.environment.newID("lcfg"), channel: $0, isDefault: true, at: now)
                }
            }
            let secret = try await service.managementKeys.create(name: "init", app: nil).secret
            result = [
                ("settings", path), ("database", settings.database),
                ("master keys", assembly.createdKeyFile ?? "not created: configured elsewhere"),
                ("app", app.id.rawValue), ("origin", try configuration.origins().origins(of: app).first ?? ""),
                ("management key", secret),
            ]
        }
        return result
    }

    private func show(_ result: [(name: String, value: String)]) throws {
        guard !json else {
            let members = Dictionary(uniqueKeysWithValues: result.map { ($0.name.replacing(" ", with: "_"), $0.value) })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return print(String(decoding: try encoder.encode(members), as: UTF8.self))
        }
        for (name, value) in result { print(name.padding(toLength: 16, withPad: " ", startingAt: 0) + value) }
        print(
            """

            The management key is valid for all apps and is not shown again. Back up the database with its master keys.
            Start the service: prelude-session serve --config \(result[0].value)
            """)
    }
}
