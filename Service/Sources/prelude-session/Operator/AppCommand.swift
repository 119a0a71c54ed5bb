import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

/// `prelude-session app`: creates and lists apps.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Create and list apps, and turn on their logins.",
        subcommands: [Create.self, Enable.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
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

        @OptionGroup var logins: LoginFlags

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
                let app = try await service.apps.create(id: appID, name: name) { app in
                    (app.domains, app.allowedOrigins, app.signUp) = (domains, allowedOrigins, signUp)
                    app.sessions.accessTokenBinding = boundAccessTokens ? .dpop : .bearer
                    if logins.password { app.passwordLogin = PasswordLoginConfig(at: now) }
                    app.otpLogins = logins.channels.map { channel in
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

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable",
            abstract: "Turn on logins of an app.",
            discussion: """
                A login that is on stays as it is. Other settings of logins are changed through the management API. A \
                running service uses the change within 5 seconds.
                """)

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var logins: LoginFlags
        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard logins.password || !logins.channels.isEmpty else {
                throw ValidationError("Name a login: --password, --sms or --email")
            }
        }

        func run() async throws {
            try await options.withService { service in
                let now = service.environment.now()
                let missing = try await service.apps.app(app).missing(of: logins.channels)
                for channel in missing {
                    let login = OTPLoginConfig(id: "", channel: channel, isDefault: true, at: now)
                    _ = try await service.loginConfigs.createOTPLogin(login, app: app)
                }
                if logins.password, try await service.apps.app(app).passwordLogin?.enabled != true {
                    _ = try await service.settings.update(PasswordLoginConfig.self, of: app) { $0.enabled = true }
                }
                let changed = try await service.apps.app(app)
                try options.show(changed.record)
                if try !options.shared.configuration().isDevelopment {
                    UndeliverableChannels(of: changed, routes: service.deliveryRoutes).warn()
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the apps.")

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.apps.apps().map(\.record))
            }
        }
    }
}

extension App {
    /// The channels without an OTP login.
    fileprivate func missing(of channels: [OTPLoginConfig.Channel]) -> [OTPLoginConfig.Channel] {
        channels.filter { channel in !otpLogins.contains { $0.channel == channel } }
    }

    fileprivate var record: Record {
        [
            ("id", .text(id.rawValue)), ("name", .text(name)), ("domains", .list(domains)), ("sign-up", .flag(signUp)),
            ("password login", .flag(passwordLogin?.enabled == true)),
            ("otp logins", .list(otpLogins.map(\.channel.rawValue))),
            ("access tokens", .text(sessions.accessTokenBinding == .dpop ? "bound (DPoP)" : "bearer")),
            ("created", .time(createdAt)),
        ]
    }
}

/// `prelude-session domain`: manages the custom domains of one app.
struct DomainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domain", abstract: "List, add and remove the custom domains of an app.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the domains.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.apps.app(app).domainRecords)
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a domain under which apps reach the service over https.",
            discussion: """
                The domain must reach the service before apps use it. The first domain is the issuer (iss) of all tokens of \
                the app, whatever host a client uses. So the first domain changes the issuer, and so does its removal: \
                backends must accept both before. A running service uses the change within 5 seconds.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The bare host, such as session.example.com.") var domain: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.apps.addDomain(domain, to: app).domainRecords)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a domain. Clients that use it no longer reach the app.",
            discussion: "The removal of the first domain changes the issuer (iss) of all tokens of the app.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The domain.") var domain: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.apps.removeDomain(domain, from: app).domainRecords)
            }
        }
    }
}

extension App {
    fileprivate var domainRecords: [Record] { domains.map { [("domain", .text($0))] } }
}

/// The flags that turn logins of an app on.
struct LoginFlags: ParsableArguments {
    @Flag(help: "Turn on password login.") var password = false
    @Flag(help: "Turn on login with a code by SMS.") var sms = false
    @Flag(help: "Turn on login with a code by e-mail.") var email = false

    var channels: [OTPLoginConfig.Channel] { (sms ? [.sms] : []) + (email ? [.email] : []) }
}

/// The OTP logins of an app whose codes cannot be sent, because no delivery is configured.
struct UndeliverableChannels {
    let channels: [OTPLoginConfig.Channel]

    init(of app: App, routes: DeliveryRoutes) {
        channels = OTPLoginConfig.Channel.allCases.filter { channel in
            app.otpLogins.contains { $0.channel == channel } && routes.routes(for: app, channel: channel).isEmpty
        }
    }

    /// Writes to standard error, because programs read standard output.
    func warn() {
        for channel in channels {
            let name = channel == .email ? "e-mail" : "SMS"
            let text = """
                Warning: no delivery by \(name) is configured, so codes by \(name) cannot be sent. Set \
                PRELUDE_SESSION_\(channel.rawValue.uppercased())_ROUTE, or \(channel.rawValue)Route in the configuration \
                file. Then run: prelude-session delivery test --to \(channel == .email ? "you@example.com" : "+14155550123")

                """
            FileHandle.standardError.write(Data(text.utf8))
        }
    }
}
