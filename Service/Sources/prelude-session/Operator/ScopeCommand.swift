import ArgumentParser
import SessionDomain

/// `prelude-session scope`: manages the scopes of one app.
struct ScopeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scope", abstract: "List, register and remove the scopes of an app.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the scopes that can be granted.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.stepUpConfig.scopes(of: app).map { [("scope", .text($0))] })
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Register a scope.",
            discussion: """
                A registered scope is granted only if a login grants it or a rule decides on it: see step-up set. A running \
                service uses the change within 5 seconds.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The scope, such as transfer:write.") var scope: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try await service.stepUpConfig.register(scope, app: app)
                try options.show([("scope", .text(scope))])
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a scope with its grants and open challenges.",
            discussion: "No later access token has the scope. Its rules stay, but have no effect without the scope.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The scope.") var scope: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try await service.stepUpConfig.unregister(scope, app: app)
                try options.show([("removed", .text(scope))])
            }
        }
    }
}
