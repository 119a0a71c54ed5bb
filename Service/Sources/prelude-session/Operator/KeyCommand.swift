import ArgumentParser
import SessionDomain

/// `prelude-session key`: manages keys of the management API, and signing keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage keys of the management API, and signing keys.",
        subcommands: [Create.self, List.self, Revoke.self, Rotate.self, Signing.self, Reseal.self, ReplaceMaster.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a key of the management API. It is printed once and stored as a hash.")

        @Argument(help: "A name that says what the key is for.")
        var name: String

        @Option(help: "The app that the key can manage. (default: all apps)")
        var app: AppID?

        @Option(help: "What the key may do: read or write.")
        var role = ManagementKey.Role.write

        @Option(name: .customLong("expires-in-days"), help: "Days after which the key is invalid. (default: never)")
        var days: Int?

        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            if let days, !(1...3650).contains(days) {
                throw ValidationError("--expires-in-days must be 1 to 3650")
            }
        }

        func run() async throws {
            try await options.withService { service in
                if let app { _ = try await service.apps.app(app) }
                let (key, secret) = try await service.managementKeys.create(
                    name: name, app: app, role: role,
                    expiresAt: days.map { service.environment.now() + $0 * 86_400 })
                try options.show(key.record + [("key", .text(secret))])
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the keys of the management API, without their values.",
            discussion: "Configured keys are not stored, so they are not listed.")

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.managementKeys.all().map(\.record))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a key of the management API, and the keys that it created.",
            discussion: """
                They stop working at once. Prints the ids of the revoked keys. The id of a configured key, \
                mk_configured_…, revokes the keys that it created.
                """)

        @Argument(help: "The key's id, mk_….")
        var id: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.managementKeys.revoke(id: id).map { [("revoked", .text($0))] })
            }
        }
    }
}

extension ManagementKey.Role: ExpressibleByArgument {}

extension ManagementKey {
    fileprivate var record: Record {
        [
            ("id", .text(id)), ("name", .text(name)), ("app", .text(appID?.rawValue, none: "every app")),
            ("role", .text(role.rawValue)), ("created by", .text(createdBy?.rawValue, none: "unknown")),
            ("created", .time(createdAt)), ("expires", .time(expiresAt)), ("last used", .time(lastUsedAt)),
        ]
    }
}
