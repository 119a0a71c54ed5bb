import ArgumentParser
import SessionDomain
import SessionTokens

/// `prelude-session limits`: shows and sets back the limits of attempts and messages.
struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits", abstract: "Show what a user, an identifier or an address may still do, and set it back.",
        subcommands: [Show.self, Clear.self])

    /// Whose limits they are.
    struct Subject: ParsableArguments {
        @Option(help: "An e-mail address or a phone number, whether a user has it or not.") var identifier: String?
        @Option(help: "An IP address. Of an IPv6 address, the networks /64 and /48.") var address: String?
        @Argument(help: "The user's id, usr_….") var id: String?

        func validate() throws {
            guard [id, identifier, address].compactMap(\.self).count == 1 else {
                throw ValidationError("Name one: a user's id, --identifier or --address.")
            }
        }

        func canonicalIdentifier() throws -> CanonicalIdentifier? {
            try identifier.map { try CanonicalIdentifier(typed: $0, ofField: "identifier") }
        }

        /// Addresses are stored as digests with a master key.
        var keys: MasterKeyUse { address == nil ? .none : .needed }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the limits that have counted something, first those that refuse.",
            discussion: """
                Name one: a user by its id, an e-mail address or phone number by --identifier, which also shows the totals of \
                messages that it spends, or an IP address by --address.
                """)

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var subject: Subject
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let identifier = try subject.canonicalIdentifier()
            try await options.withService(of: app, keys: subject.keys) { service in
                var limits: [RunningLimit] = []
                if let id = subject.id { limits = try await service.users.limits(of: id, app: app) }
                if let identifier { limits = try await service.users.limits(of: identifier, app: app) }
                if let address = subject.address {
                    limits = try await service.users.limits(ofAddress: address, app: app)
                }
                try options.show(limits.map(\.record))
            }
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Set the limits of a user, an identifier or a source address back.",
            discussion: """
                After 99 consecutive failures, an identifier of the user is closed to unknown devices for 30 days. This \
                command opens it at once. Name one: a user by its id, an e-mail address or phone number by --identifier, \
                or an IP address by --address. The limits of the whole app stay as they are.
                """)

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var subject: Subject
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let identifier = try subject.canonicalIdentifier()
            try await options.withService(of: app, keys: subject.keys) { service in
                if let id = subject.id {
                    try options.show(try await service.users.clearLimits(of: id, app: app).record)
                }
                if let identifier { try await service.users.clearLimits(of: identifier, app: app) }
                if let address = subject.address { try await service.users.clearLimits(ofAddress: address, app: app) }
            }
        }
    }
}

extension RunningLimit {
    var record: Record {
        [
            ("limit", .text(name.rawValue)), ("refused until", .time(refusedUntil, none: "not refused")),
            ("count", .number(count)), ("of", .number(maximum)), ("ends", .time(endsAt)),
            ("setting", .text(name.setting)), ("counter", .text(counter)),
        ]
    }
}
