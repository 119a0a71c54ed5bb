import ArgumentParser
import SessionDomain

/// `prelude-session key`: manages keys of the management API, and signing keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage keys of the management API, and signing keys.",
        subcommands: [Create.self, List.self, Revoke.self, Rotate.self, Signing.self, Reseal.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key of the management API. It is printed once and stored as a hash.")

        @Argument(help: "A name that says what the key is for.")
        var name: String

        @Option(help: "The app that the key can manage. (default: all apps)")
        var app: AppID?

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                let (key, secret) = try await service.managementKeys.create(name: name, app: app)
                try options.show(key.record + [("key", secret)])
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys of the management API, without their values.")

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.managementKeys.all().map(\.record))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key of the management API. It stops working at once.")

        @Argument(help: "The key's id, mk_….")
        var id: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in try await service.managementKeys.revoke(id: id) }
        }
    }
}

extension ManagementKey {
    fileprivate var record: [(name: String, value: String)] {
        [("id", id), ("name", name), ("app", appID?.rawValue ?? "every app"), ("created", createdAt.rfc3339)]
    }
}
