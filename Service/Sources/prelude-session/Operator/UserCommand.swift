import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP
import SessionTokens

/// `prelude-session user`: manages the users of one app.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Create, find, change and delete users.",
        subcommands: [Create.self, Find.self, Show.self, SetPassword.self, SetStatus.self, Delete.self])

    struct Identifiers: ParsableArguments {
        @Option(help: "A phone number in E.164 form.")
        var phone: String?

        @Option(help: "An e-mail address.")
        var email: String?

        /// - Parameter areSearched: Whether they are only searched for, so that characters of earlier versions are accepted.
        func canonical(areSearched: Bool = false) throws -> [CanonicalIdentifier] {
            let typed = [("phone_number", phone, "--phone"), ("email_address", email, "--email")]
            let all = try typed.compactMap { type, value, field in
                try value.map {
                    try CanonicalIdentifier(type: type, value: $0, field: field, isSearched: areSearched)
                }
            }
            guard !all.isEmpty else { throw ValidationError("Give --phone or --email.") }
            return all
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a user.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var identifiers: Identifiers
        @Flag(help: "Read a password for the user from standard input.") var password = false
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let secret = password ? try PasswordInput.read(prompt: "Password: ") : nil
            try await options.withService { service in
                let user = try await service.users.create(
                    app: app, identifiers: try identifiers.canonical(), password: secret)
                try options.show(user.record)
            }
        }
    }

    struct Find: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "find", abstract: "Find a user by a phone number or an e-mail address.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var identifiers: Identifiers
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let identifier = try identifiers.canonical(areSearched: true)[0]
            try await options.withService { service in
                try options.show(try await service.users.user(with: identifier, app: app).record)
            }
        }
    }

    struct SetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-password", abstract: "Set a user's password. It is read from standard input.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var id: String
        @Flag(inversion: .prefixedNo, help: "Whether to revoke the user's sessions.") var endSessions = true
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let secret = try PasswordInput.read(prompt: "New password: ")
            try await options.withService { service in
                let user = try await service.users.setPassword(
                    secret, user: id, app: app, ending: endSessions ? .all : nil)
                try options.show(user.record)
            }
        }
    }

    struct SetStatus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-status",
            abstract: "Set a user's status. Any status but active revokes the user's sessions.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var id: String
        @Argument(help: "active, inactive or suspended.") var status: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            guard let status = User.Status(rawValue: status) else {
                throw ValidationError("The status must be active, inactive or suspended.")
            }
            try await options.withService { service in
                try options.show(try await service.users.setStatus(status, user: id, app: app).record)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a user and all data of the user.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var id: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                let user = try await service.users.user(id, app: app)
                let names = user.identifiers.map(\.value.escapedForTerminal).joined(separator: ", ")
                try confirmation.ask(
                    "The user \(user.id) (\(names)) and all data of the user will be deleted, for good.",
                    ifNot: "The user was not deleted.")
                try await service.users.delete(id, app: app)
                try options.show([("deleted", .text(user.id))])
            }
        }
    }
}

extension User {
    var record: Record {
        [
            ("id", .text(id)), ("status", .text(status.rawValue)), ("identifiers", .list(identifiers.map(\.value))),
            ("password", .flag(hasPassword, "set", "none")), ("created", .time(createdAt)),
        ]
    }
}
