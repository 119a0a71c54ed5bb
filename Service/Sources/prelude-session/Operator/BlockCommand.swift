import ArgumentParser
import SessionDomain

/// `prelude-session block`: refuses calls from an address, or logins with an identifier, for a time.
struct BlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Refuse calls from a network, or logins with an identifier, for a time.",
        subcommands: [Add.self, List.self, Remove.self])

    /// What is blocked.
    struct Subject: ParsableArguments {
        @Option(help: "An IP address, or a network such as 203.0.113.0/24.") var address: String?
        @Option(help: "An e-mail address or a phone number, whether a user has it or not.") var identifier: String?

        func validate() throws {
            guard (address == nil) != (identifier == nil) else {
                throw ValidationError("Name one: --address or --identifier.")
            }
        }

        func subject() throws -> Block.Subject {
            if let address { return .network(address) }
            return .identifier(try CanonicalIdentifier(typed: identifier ?? "", ofField: "identifier"))
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Block an address, a network or an identifier.",
            discussion: """
                Calls of apps from a blocked address, and logins with a blocked identifier, get 429 until the block ends. Users \
                stay signed in. A running service applies it within 5 seconds, with PostgreSQL within one. A block of the same \
                subject is replaced.
                """)

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var subject: Subject
        @Option(name: .customLong("for"), help: "How long: a number with s, m, h or d, such as 24h. At most 365d.")
        var duration: String
        @Option(help: "Why, for other operators.") var note: String?
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let seconds = try Self.seconds(duration)
            let subject = try subject.subject()
            try await options.withService { service in
                try options.show(
                    try await service.apps.block(subject, seconds: seconds, note: note, of: app).record)
            }
        }

        private static func seconds(_ text: String) throws -> Int {
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
                (1...Block.durations.upperBound).contains(count), Block.durations.contains(count * unit)
            else {
                throw ValidationError("--for must be 60s to 365d: a number with s, m, h or d, such as 24h")
            }
            return count * unit
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the blocks that have not ended.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.apps.blocks(of: app).map(\.record))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "End a block.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var subject: Subject
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let subject = try subject.subject()
            try await options.withService { service in
                try await service.apps.unblock(subject, of: app)
                try options.show(try await service.apps.blocks(of: app).map(\.record))
            }
        }
    }
}

extension Block {
    fileprivate var record: Record {
        [("blocked", .text(name)), ("until", .time(until)), ("note", .text(note)), ("created", .time(createdAt))]
    }
}
