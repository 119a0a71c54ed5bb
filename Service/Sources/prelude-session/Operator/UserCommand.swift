import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP
import SessionTokens

/// `prelude-session user`: manages the users of one app.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Create, find, change and delete users.",
        subcommands: [
            Create.self, Find.self, Show.self, SetPassword.self, SetStatus.self, Passkeys.self, DeletePasskey.self,
            Delete.self,
        ])

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
            try await options.withService(of: app) { service in
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
            try await options.withService(of: app) { service in
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
            try await options.withService(of: app) { service in
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
            try await options.withService(of: app) { service in
                try options.show(try await service.users.setStatus(status, user: id, app: app).record)
            }
        }
    }

    struct Passkeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passkeys", abstract: "List the passkeys of a user, oldest first.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var id: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app) { service in
                try options.show(try await service.users.passkeys(of: id, app: app).map(\.record))
            }
        }
    }

    struct DeletePasskey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete-passkey",
            abstract: "Delete a passkey of a user, also the last one. Sessions stay.",
            discussion: "Logins and step-ups that have begun are voided. The user can register a new passkey.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var id: String
        @Argument(help: "The id of the passkey, as `user passkeys` lists it.") var credential: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(of: app) { service in
                let passkeys = try await service.users.passkeys(of: id, app: app)
                guard let passkey = passkeys.first(where: { $0.id == credential }) else {
                    throw Refusal.notFound("the user has no such passkey")
                }
                let name = passkey.nickname ?? passkey.id
                let rest = passkeys.count == 1 ? " It is the last one." : ""
                try confirmation.ask(
                    "The passkey \(name.escapedForTerminal) of the user \(id.escapedForTerminal) will be deleted, for good."
                        + rest,
                    ifNot: "The passkey was not deleted.")
                try await service.users.deletePasskey(passkey.id, of: id, app: app)
                try options.show([("deleted", .text(passkey.id))])
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
            try await options.withService(of: app) { service in
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
            ("password", .flag(hasPassword, "set", "none")), ("passkey", .flag(hasPasskey, "registered", "none")),
            ("created", .time(createdAt)),
        ]
    }
}

extension Passkey {
    fileprivate var record: Record {
        [
            ("id", .text(id)), ("nickname", .text(nickname)), ("model", .text(model)),
            ("rp id", .text(relyingPartyID)), ("backed up", .flag(isBackedUp, "yes", "no")),
            ("created", .time(createdAt)), ("last used", .time(lastUsedAt)),
        ]
    }

    /// The AAGUID. Zeros say nothing about the model.
    private var model: String? {
        guard aaguid.count == 16, aaguid.contains(where: { $0 != 0 }) else { return nil }
        return aaguid.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString.lowercased()
    }
}

extension UserCommand {
    /// `prelude-session user show`: all that a support case needs.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a user with passkeys, sessions, limits and last events: why can this user not sign in?",
            discussion: """
                Limits that refuse now come first, each with the time until which it does. Events are newest first. With \
                --json, it is one object.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_…, an e-mail address, or a phone number in E.164 form.") var user: String
        @Option(help: "The number of events to show at most. 0 to 1000.") var events = 10
        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard (0...1000).contains(events) else { throw ValidationError("--events must be 0 to 1000") }
        }

        func run() async throws {
            try await options.withService(of: app) { service in
                let found = try await find(in: service)
                let sessions = try await service.users.sessions(of: found.id, app: app, limit: 100)
                let passkeys = try await service.users.passkeys(of: found.id, app: app).map(\.record)
                let limits = try await service.users.limits(of: found.id, app: app)
                let query = EventQuery(app: app, user: found.id, limit: max(events, 1))
                let last = events == 0 ? [] : try await service.store.events(query) ?? []
                let held = found.heldUntil.map { identifier, time in
                    [("identifier", RecordValue.text(identifier.value)), ("held until", .time(time))] as Record
                }
                guard !options.json else {
                    return try printJSON(
                        JSONValue.object([
                            "user": JSONValue(found.record), "held_identifiers": .array(held.map { JSONValue($0) }),
                            "passkeys": .array(passkeys.map { JSONValue($0) }),
                            "sessions": .array(sessions.elements.map { JSONValue($0.record) }),
                            "limits": .array(limits.map { JSONValue($0.record) }),
                            "events": .array(
                                try last.map {
                                    try TokenJSON.decode(
                                        JSONValue.self, from: TokenJSON.encode(AuditedEventBody($0, withAppID: true)))
                                }),
                        ]))
                }
                try options.show(found.record)
                try section("Held identifiers", held)
                try section("Passkeys: \(passkeys.count)", passkeys)
                try section("Sessions: \(sessions.total ?? sessions.elements.count)", sessions.elements.map(\.record))
                try section(
                    "Limits: \(limits.filter { $0.refusedUntil != nil }.count) refuse now", limits.map(\.record))
                print("\nLast events:")
                for event in last { print(event.line) }
            }
        }

        private func section(_ title: String, _ records: [Record]) throws {
            guard !records.isEmpty else { return }
            print("\n\(title)")
            try options.show(records)
        }

        private func find(in service: SessionService) async throws -> User {
            if user.hasPrefix("usr_") { return try await service.users.user(user, app: app) }
            let identifier = try CanonicalIdentifier(typed: user, ofField: "user", isSearched: true)
            return try await service.users.user(with: identifier, app: app)
        }
    }
}
