import ArgumentParser
import Foundation
@_spi(Service) import PreludeSession
import PreludeSessionAsyncHTTPClient
import SessionTokens

/// The options of all client commands: the service, the credentials and the output format.
struct ClientOptions: ParsableArguments {
    @Option(help: "The service's origin. (default: $PRELUDE_SESSION_ENDPOINT, else http://localhost:8080)")
    var endpoint: String?

    @Option(
        help: "The directory of the credentials. (default: $PRELUDE_SESSION_CREDENTIALS, else your data directory)",
        completion: .directory)
    var credentials: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// - Throws: `InvalidConfiguration` for unknown variables: the default would be used in place of a misspelled one.
    func client() throws -> PreludeSessionClient {
        let environment = ProcessInfo.processInfo.environment
        try EnvironmentVariables.check(environment)
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let origin = endpoint ?? value("PRELUDE_SESSION_ENDPOINT")
        var configuration = PreludeSessionClient.Configuration(endpoint: origin.map(Endpoint.custom) ?? .default)
        configuration.credentialStore = PreludeFileCredentialStore(
            directory: credentials ?? value("PRELUDE_SESSION_CREDENTIALS"))
        configuration.transport = AsyncHTTPClientTransport()
        return try PreludeSessionClient(configuration: configuration)
    }

    /// Runs the work with a client, and sends revocations of earlier logouts. Prints an error of the SDK on one line and
    /// exits with its exit code. The texts of a server are escaped here and in all results, because a terminal interprets
    /// control characters.
    func run(_ work: (PreludeSessionClient) async throws -> Void) async throws {
        do {
            let client = try client()
            do {
                try await work(client)
                await client.revokeEndedSessions()
            } catch {
                await client.revokeEndedSessions()
                throw error
            }
        } catch let error as PreludeSessionError {
            FileHandle.standardError.write(Data("Error: \(error.localizedDescription.escapedForTerminal)\n".utf8))
            throw ExitCode(error.exitCode)
        }
    }

    func printUser(_ user: PreludeUser, as verb: String) throws {
        if json {
            try printJSON(["user_id": user.userID, "session_id": user.profile.sessionID ?? ""])
        } else {
            let session = (user.profile.sessionID ?? "unknown").escapedForTerminal
            print("\(verb) \(user.userID.escapedForTerminal), session \(session).")
        }
    }

}

/// Prints a value for a terminal and for programs.
func printJSON(_ value: some Encodable) throws {
    print(String(decoding: try TokenJSON.encode(value, isPretty: true), as: UTF8.self).escapedJSONForTerminal)
}

extension PreludeSessionError {
    /// 2: sign in again. 3: try again later. 4: rejected. 1: any other error.
    fileprivate var exitCode: Int32 {
        switch self {
        case .unauthorized, .deviceKeyLost, .invalidOTPCode: 2
        case .network, .timeout, .internalServerError, .rateLimited, .storageUnavailable: 3
        case .badRequest, .forbidden, .insufficientScope, .notFound, .conflict, .invalidPassword,
            .invalidConfiguration, .missingChallengeToken, .invalidChallengeToken, .expiredChallengeToken,
            .tokenReused:
            4
        default: 1
        }
    }
}

/// Asks the user on standard error, so that standard output contains only results.
enum Prompt {
    static func say(_ text: String, newline: Bool = true) {
        FileHandle.standardError.write(Data((text + (newline ? "\n" : "")).utf8))
    }

    /// Returns the next line of standard input that is not blank, without surrounding spaces.
    ///
    /// - Parameter name: What the user should enter, such as `code`.
    static func line(_ name: String) throws -> String {
        while true {
            say(name.prefix(1).uppercased() + name.dropFirst() + ": ", newline: false)
            guard let line = readLine(strippingNewline: true) else {
                throw ValidationError("Standard input ended without a \(name).")
            }
            let text = line.trimmingCharacters(in: .whitespaces)
            if !text.isEmpty { return text }
        }
    }
}

/// Reads a password from a terminal without echo, or from the first line of standard input.
///
/// Passwords are never arguments, because other processes can read those.
enum PasswordInput {
    static func read(prompt: String) throws -> String {
        let isTerminal = isatty(STDIN_FILENO) == 1
        var saved = termios()
        if isTerminal {
            FileHandle.standardError.write(Data(prompt.utf8))
            tcgetattr(STDIN_FILENO, &saved)
            var silent = saved
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        defer {
            if isTerminal {
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
                FileHandle.standardError.write(Data("\n".utf8))
            }
        }
        guard let line = readLine(strippingNewline: true), !line.isEmpty else {
            throw ValidationError("Standard input contains no password.")
        }
        return line
    }
}
