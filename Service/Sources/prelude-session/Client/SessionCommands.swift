import ArgumentParser
import Foundation
import PreludeSession

/// `prelude-session whoami`: fetches the signed-in user from the service and prints it.
struct WhoAmICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "whoami", abstract: "Show who is signed in.")

    @OptionGroup var options: ClientOptions

    private struct Answer: Encodable {
        let userID: String
        let sessionID: String
        let identifiers: [String]

        private enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case sessionID = "session_id"
            case identifiers
        }
    }

    func run() async throws {
        try await options.run { client in
            let identifiers = try await client.fetchIdentifiers().map(\.value)
            let user = try await client.refresh()
            let answer = Answer(
                userID: user.userID, sessionID: user.profile.sessionID ?? "", identifiers: identifiers)
            guard !options.json else { return try printJSON(answer) }
            print("user         \(answer.userID.escapedForTerminal)")
            print("session      \(answer.sessionID.escapedForTerminal)")
            print("identifiers  \(identifiers.map(\.escapedForTerminal).joined(separator: ", "))")
        }
    }
}

/// `prelude-session sessions`: prints the user's sessions.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sessions", abstract: "List your sessions.")

    @Option(help: "Sessions to show, 1 to 100.") var limit = 10
    @Option(help: "Sessions to skip.") var offset = 0
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client in
            let page = try await client.listSessions(ListSessionsOptions(limit: limit, offset: offset))
            let own = await client.sessionID
            guard !options.json else {
                return try printJSON(
                    page.sessions.map { session in
                        [
                            "id": session.id, "device_model": session.deviceModel,
                            "device_type": session.deviceType.rawValue, "os_version": session.osVersion,
                            "country_code": session.countryCode, "created_at": session.createdAt,
                            "last_seen_at": session.lastSeenAt, "expires_at": session.expiresAt,
                        ]
                    })
            }
            for session in page.sessions {
                let mark = session.id == own ? "*" : " "
                let device = session.deviceModel.isEmpty ? session.deviceType.rawValue : session.deviceModel
                let line = "\(mark) \(session.id)  \(device) \(session.osVersion)  last seen \(session.lastSeenAt)"
                print(line.escapedForTerminal)
            }
            print("\(page.total) in total, * is this session")
        }
    }
}

/// `prelude-session revoke`: revokes sessions.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke sessions of the signed-in user.")

    @Argument(help: "all, others, mine, or the id of a session.") var target: String
    @OptionGroup var options: ClientOptions

    func run() async throws {
        let selection: RevokeTarget =
            switch target {
            case "all": .all
            case "others": .others
            case "mine": .mine
            default: .session(id: target)
            }
        try await options.run { client in
            try await client.revokeSessions(selection)
            if options.json { try printJSON(["revoked": target]) } else { print("Revoked.") }
        }
    }
}

/// `prelude-session refresh`: fetches a new access token and prints it for scripts.
struct RefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Fetch a new access token; --print-token shows it.")

    @Flag(help: "Print the access token, for use in a script.") var printToken = false
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client in
            try await client.invalidateSession()
            let user = try await client.refresh()
            if printToken {
                print(user.accessToken.escapedForTerminal)
            } else {
                try options.printUser(user, as: "Refreshed for")
            }
        }
    }
}

/// `prelude-session logout`: signs out and revokes the session.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "logout", abstract: "Sign out.")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client in
            try await client.logout()
            if options.json { try printJSON(["signed_out": true]) } else { print("Signed out.") }
        }
    }
}

/// `prelude-session change-password`: does a step-up if necessary, then stores a new password.
struct ChangePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-password", abstract: "Change your password. The new password is read from standard input.")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client in
            if try await !client.canChangePassword() {
                try await InteractiveStepUp(client: client).obtain("prld:pwd:write")
            }
            try await client.changePassword(RedactedString(try await readPassword(client)))
            if options.json { try printJSON(["changed": true]) } else { print("Password changed.") }
        }
    }

    /// Reads passwords until one meets the app's rules. Prints the rules that a rejected one breaks.
    private func readPassword(_ client: PreludeSessionClient) async throws -> String {
        let rules = try await client.passwordCompliancy()
        var password = try PasswordInput.read(prompt: "New password: ")
        while true {
            let missing = PreludeSessionClient.validate(password: password, against: rules).results
                .filter { !$0.valid }.map(Self.describe)
            if missing.isEmpty { return password }
            Prompt.say("The password does not meet the app's rules: \(missing.joined(separator: "; ")).")
            do {
                password = try PasswordInput.read(prompt: "New password: ")
            } catch is ValidationError {
                throw PreludeSessionError.invalidPassword("the password does not meet the app's rules")
            }
        }
    }

    private static func describe(_ result: PreludePasswordCompliancyResult) -> String {
        let name =
            switch result.criterion {
            case .minLength, .maxLength: "characters"
            case .uppercase: "upper-case letters"
            case .lowercase: "lower-case letters"
            case .numbers: "digits"
            default: result.criterion.rawValue
            }
        let bound = result.criterion == .maxLength ? "at most" : "at least"
        return "\(name) \(bound) \(result.expected), has \(result.actual)"
    }
}
