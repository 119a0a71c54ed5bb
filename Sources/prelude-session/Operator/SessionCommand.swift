import ArgumentParser
import Foundation
import SessionDomain

/// `prelude-session session`: ends sessions of all users.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Revoke the sessions of all users.", subcommands: [Revoke.self])

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke the sessions of all users, so that they must sign in again.",
            discussion: """
                Logins that have begun are voided, too. The service may run at the same time: it reads each session from \
                the database, so the next refresh of a device is rejected. Access tokens are valid until they expire, at \
                most 15 minutes later. Sessions that start while the command runs come from new logins. Webhooks receive \
                an event for each session. If the command is interrupted, run it again.
                """)

        @Flag(help: "Confirm that the sessions of all users are meant. Required.")
        var all = false

        @Option(help: "The app. (default: all apps)")
        var app: AppID?

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard all else { throw ValidationError("Give --all: the command revokes the sessions of all users.") }
        }

        func run() async throws {
            try await options.withService { service in
                let apps = if let app { [try await service.apps.app(app)] } else { try await service.apps.apps() }
                try confirm(apps)
                let sweep = SessionSweep(store: service.store, environment: service.environment)
                var records: [[(name: String, value: String)]] = []
                for app in apps {
                    let (users, sessions) = try await sweep.endAllSessions(of: app.id)
                    records.append([
                        ("app", app.id.rawValue), ("users", String(users)), ("revoked sessions", String(sessions)),
                    ])
                }
                try options.show(records)
            }
        }

        /// Asks on a terminal. A script must say `--yes`.
        private func confirm(_ apps: [App]) throws {
            guard !yes else { return }
            let names = apps.map { "\($0.name.escapedForTerminal) (\($0.id))" }.joined(separator: ", ")
            guard isatty(STDIN_FILENO) == 1 else {
                throw ValidationError("The sessions of all users of \(names) would end. Add --yes to confirm.")
            }
            Prompt.say("All users of \(names) must sign in again.")
            guard try Prompt.line("type yes to continue").lowercased() == "yes" else {
                throw ValidationError("Not confirmed. No session was revoked.")
            }
        }
    }
}
