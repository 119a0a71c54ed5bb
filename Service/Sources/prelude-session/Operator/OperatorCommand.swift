import ArgumentParser
import SessionDomain

/// `prelude-session operator`: manages the accounts of the console.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Manage the accounts with which operators sign in to the console.",
        subcommands: [Add.self, List.self, Unlock.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Create the account of an operator.",
            discussion: """
                The operator signs in with the address and a code, or with a password. No message is sent: tell the operator \
                the address of the console.
                """)

        @Argument(help: "The e-mail address.")
        var address: String

        @Option(help: "What the operator may do: viewer, support or admin.")
        var role: OperatorRole

        @Option(help: "The app that the operator works with. (default: all apps)")
        var app: AppID?

        @Flag(help: "Read a password for the operator from standard input.") var password = false

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let secret = password ? try PasswordInput.read(prompt: "Password: ") : nil
            try await options.withService(keys: .needed) { service in
                let added = try await service.operators.invite(address, role: role, app: app, password: secret)
                try options.show(added.record)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the accounts of operators.")

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.operators.all().map(\.record))
            }
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock",
            abstract: "Set the limits of an operator back.",
            discussion: """
                Strangers who enter wrong passwords or codes close the sign-in of an address, in the end for 30 days. This \
                opens it again. A browser in which the operator has signed in before has limits of its own.
                """)

        @Argument(help: "The e-mail address.")
        var address: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                let found = try await service.operators.find(address: address)
                try await service.operators.clearLimits(of: found.id)
                try options.show(found.record)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Delete the account of an operator.",
            discussion: """
                All sessions of the operator end at once. Management keys that the operator created stay valid.
                """)

        @Argument(help: "The e-mail address.")
        var address: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                let found = try await service.operators.find(address: address)
                try await service.operators.remove(found.id)
                try options.show([("removed", .text(found.id))])
            }
        }
    }
}

extension OperatorRole: ExpressibleByArgument {}

extension ConsoleOperator {
    fileprivate var record: Record {
        [
            ("id", .text(id)), ("address", .text(name)), ("role", .text(role.rawValue)),
            ("app", .text(appID?.rawValue, none: "every app")), ("status", .text(user.status.rawValue)),
            ("password", .flag(user.hasPassword, "yes", "no")), ("created", .time(user.createdAt)),
        ]
    }
}
