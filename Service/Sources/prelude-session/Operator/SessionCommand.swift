import ArgumentParser
import Foundation
import SessionDomain

/// `prelude-session session`: lists and revokes sessions.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "List and revoke the sessions of one user, or revoke those of all users.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the active sessions of a user, last seen first.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The user's id, usr_….") var user: String
        @Option(help: "The number of sessions to show at most. 1 to 100.") var limit = 100
        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard (1...100).contains(limit) else { throw ValidationError("--limit must be 1 to 100") }
        }

        func run() async throws {
            try await options.withService(of: app) { service in
                let page = try await service.users.sessions(of: user, app: app, limit: limit)
                try options.show(page.elements.map(\.record))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke one session, those of one user, or those of all users.",
            discussion: """
                Name a user with --user, or all users with --all. Users without a session must sign in again, and logins \
                that have begun are voided, too, unless --session names one session. The service may run at the same time: \
                it reads each session from the database, so the next refresh of a device is rejected. Access tokens are \
                valid until they expire, at most 15 minutes later. Webhooks receive an event for each session. If the \
                command is interrupted, run it again. With --all, sessions that start while the command runs come from new \
                logins.
                """)

        @Flag(help: "Revoke the sessions of all users.")
        var all = false

        @Option(help: "Revoke the sessions of this user, usr_…. Needs --app.")
        var user: String?

        @Option(help: "With --user: revoke only this session, ses_….")
        var session: String?

        @Option(help: "With --user: revoke all sessions but this one, ses_….")
        var except: String?

        @Option(help: "The app. (default with --all: all apps)")
        var app: AppID?

        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard all != (user != nil) else {
                throw ValidationError("Give --user for the sessions of one user, or --all for those of all users.")
            }
            guard user == nil || app != nil else { throw ValidationError("--user needs --app") }
            guard session == nil || user != nil else { throw ValidationError("--session needs --user") }
            guard except == nil || user != nil else { throw ValidationError("--except needs --user") }
            guard session == nil || except == nil else {
                throw ValidationError("--session and --except exclude each other")
            }
        }

        func run() async throws {
            try await options.withService(of: app) { service in
                if let user, let app {
                    try await revoke(of: user, app: app, in: service)
                } else {
                    try await revokeAll(in: service)
                }
            }
        }

        private func revoke(of user: String, app: AppID, in service: SessionService) async throws {
            let selection = session.map(SessionSelection.one) ?? except.map(SessionSelection.allBut) ?? .all
            let revoked = try await service.users.endSessions(selection, of: user, app: app)
            guard session == nil || revoked == 1 else { throw Refusal.notFound("the user has no such session") }
            try options.show([
                ("app", .text(app.rawValue)), ("user", .text(user)), ("revoked sessions", .number(revoked)),
            ])
        }

        private func revokeAll(in service: SessionService) async throws {
            let apps = if let app { [try await service.apps.app(app)] } else { try await service.apps.apps() }
            try confirm(apps)
            let sweep = SessionSweep(store: service.store, environment: service.environment)
            var records: [Record] = []
            for app in apps {
                let (users, sessions) = try await sweep.endAllSessions(of: app.id)
                records.append([
                    ("app", .text(app.id.rawValue)), ("users", .number(users)), ("revoked sessions", .number(sessions)),
                ])
            }
            try options.show(records)
        }

        private func confirm(_ apps: [App]) throws {
            let names = apps.map { "\($0.name.escapedForTerminal) (\($0.id))" }.joined(separator: ", ")
            try confirmation.ask(
                "All users of \(names) must sign in again.", ifNot: "No session was revoked.")
        }
    }
}

extension Session {
    var record: Record {
        [
            ("id", .text(id)),
            ("device", .text([device.model, device.osVersion].filter { !$0.isEmpty }.joined(separator: ", "))),
            ("type", .text(device.type)), ("country", .text(device.countryCode.isEmpty ? nil : device.countryCode)),
            ("created", .time(createdAt)), ("last seen", .time(lastSeenAt)), ("expires", .time(expiresAt)),
        ]
    }
}
