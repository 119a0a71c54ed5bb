import ArgumentParser
import SessionDomain
import SessionSQLite

/// `prelude-session app`: creates and lists apps.
@available(service, *)
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Create and list apps.", subcommands: [Create.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an app with its own signing keys.",
            discussion: "Creates the database and its master keys if there is no database, as serve does.")

        @Argument(help: "The name that users see in messages.")
        var name: String

        @Option(help: "The id: 7 lower-case letters or digits. (default: a random one)")
        var id: String?

        @Option(name: .customLong("domain"), help: "A custom domain of the app. Can be repeated.")
        var domains: [String] = []

        @Option(
            name: .customLong("allowed-origin"), help: "A web origin whose pages may call the service. Can be repeated."
        )
        var allowedOrigins: [String] = []

        @Flag(inversion: .prefixedNo, help: "Whether unknown identifiers may sign up.")
        var signUp = true

        @Flag(help: "Turn on password login.")
        var password = false

        @Flag(help: "Turn on login with a code by SMS.")
        var sms = false

        @Flag(help: "Turn on login with a code by e-mail.")
        var email = false

        @Flag(help: "Bind access tokens to the device's key (DPoP), so that a stolen token cannot be used.")
        var boundAccessTokens = false

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let appID = try id.map { text in
                guard let id = AppID(text) else {
                    throw ValidationError("--id must be 7 lower-case letters or digits")
                }
                return id
            }
            try await options.withService(keys: .needed, opening: .creating) { service in
                let now = service.environment.now()
                let channels = (sms ? [OTPLoginConfig.Channel.sms] : []) + (email ? [.email] : [])
                let app = try await service.apps.create(id: appID, name: name) { app in
                    // The rules of the management API.
                    try AppSettingsChange(domains: domains, allowedOrigins: allowedOrigins, signUp: signUp)
                        .apply(to: &app)
                    app.sessions.accessTokenBinding = boundAccessTokens ? .dpop : .bearer
                    if password { app.passwordLogin = PasswordLoginConfig(at: now) }
                    app.otpLogins = channels.map { channel in
                        OTPLoginConfig(
                            id: service.environment.newID("lcfg"), channel: channel, isDefault: true, at: now)
                    }
                }
                try options.show(app.record)
                if try !options.shared.configuration().isDevelopment {
                    UndeliverableChannels(of: app, routes: service.deliveryRoutes).warn()
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.apps.apps().map(\.record))
            }
        }
    }
}

extension App {
    fileprivate var record: [(name: String, value: String)] {
        [
            ("id", id.rawValue), ("name", name), ("domains", domains.joined(separator: ", ")),
            ("sign-up", signUp ? "on" : "off"), ("password login", passwordLogin?.enabled == true ? "on" : "off"),
            ("otp logins", otpLogins.map(\.channel.rawValue).joined(separator: ", ")),
            ("access tokens", sessions.accessTokenBinding == .dpop ? "bound (DPoP)" : "bearer"),
            ("created", createdAt.rfc3339),
        ]
    }
}
