import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP
import SessionTokens

extension UserCommand {
    /// `prelude-session user show`: all that a support case needs.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a user with sessions, limits and last events: why can this user not sign in?",
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
            try await options.withService { service in
                let found = try await find(in: service)
                let sessions = try await service.users.sessions(of: found.id, app: app, limit: 100)
                let limits = try await service.users.limits(of: found.id, app: app)
                let query = EventQuery(app: app, user: found.id, limit: max(events, 1))
                let last = events == 0 ? [] : try await service.store.events(query) ?? []
                let held = found.heldUntil.map { identifier, time in
                    [("identifier", RecordValue.text(identifier.value)), ("held until", .time(time))] as Record
                }
                guard !options.json else {
                    return try options.show(
                        json: .object([
                            "user": JSONValue(found.record), "held_identifiers": .array(held.map { JSONValue($0) }),
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
            let type: IdentifierType = user.contains("@") ? .emailAddress : .phoneNumber
            let identifier = try CanonicalIdentifier(
                type: type.rawValue, value: user, field: "user", isSearched: true)
            return try await service.users.user(with: identifier, app: app)
        }
    }
}
