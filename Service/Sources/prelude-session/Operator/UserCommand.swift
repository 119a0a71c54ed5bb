import ArgumentParser
import Foundation
import SessionDomain

/// `prelude-session user`: manages the users of one app.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Create, find, change and delete users.",
        subcommands: [Create.self, Find.self, SetPassword.self, SetStatus.self, Unlock.self, Delete.self])

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

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock",
            abstract: "Set the limits of a user, an identifier or a source address back.",
            discussion: """
                After 99 consecutive failures, an identifier of the user is closed to unknown devices for 30 days. This \
                command opens it at once. Name one: a user by its id, an e-mail address or phone number by --identifier, \
                or an IP address by --address. The limits of the whole app stay as they are.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Option(help: "An e-mail address or a phone number, whether a user has it or not.") var identifier: String?
        @Option(help: "An IP address. Of an IPv6 address, the networks /64 and /48.") var address: String?
        @Argument(help: "The user's id, usr_….") var id: String?
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            guard [id, identifier, address].compactMap(\.self).count == 1 else {
                throw ValidationError("Name one: a user's id, --identifier or --address.")
            }
            try await options.withService(keys: address == nil ? .none : .needed) { service in
                if let id { try options.show(try await service.users.clearLimits(of: id, app: app).record) }
                if let identifier {
                    let type: IdentifierType = identifier.contains("@") ? .emailAddress : .phoneNumber
                    try await service.users.clearLimits(
                        of: CanonicalIdentifier(type, identifier, ofField: "identifier"), app: app)
                }
                if let address { try await service.users.clearLimits(ofAddress: address, app: app) }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a user and all data of the user.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var id: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in try await service.users.delete(id, app: app) }
        }
    }
}

extension User {
    fileprivate var record: [(name: String, value: String)] {
        [
            ("id", id), ("status", status.rawValue),
            ("identifiers", identifiers.map(\.value).joined(separator: ", ")),
            ("password", hasPassword ? "set" : "none"), ("created", createdAt.rfc3339),
        ]
    }
}
