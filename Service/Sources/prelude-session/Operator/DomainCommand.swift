import ArgumentParser
import SessionDomain

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
