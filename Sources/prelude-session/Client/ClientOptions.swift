import ArgumentParser
import Foundation
import PreludeSession

/// Which service a client command talks to, and how it prints.
struct ClientOptions: ParsableArguments {
    @Option(help: "The service's origin. (default: $PRELUDE_SESSION_ENDPOINT, else http://localhost:8080)")
    var endpoint: String?

    @Option(help: "Where credentials are kept. (default: $PRELUDE_SESSION_CREDENTIALS, else your data directory)")
    var credentials: String?

    @Flag(help: "Print JSON.")
    var json = false

    func client() throws -> PreludeSessionClient {
        let environment = ProcessInfo.processInfo.environment
        let origin = endpoint ?? environment["PRELUDE_SESSION_ENDPOINT"]
        return try PreludeSessionClient(
            endpoint: origin.map(Endpoint.custom) ?? .default,
            credentialStore: FileCredentialStore(
                directory: credentials ?? environment["PRELUDE_SESSION_CREDENTIALS"]))
    }

    /// Does the work; an error of the SDK becomes one line and an exit code of its own.
    func run(_ work: (PreludeSessionClient) async throws -> Void) async throws {
        do {
            try await work(try client())
        } catch let error as PreludeSessionError {
            FileHandle.standardError.write(Data("Error: \(error.localizedDescription)\n".utf8))
            throw ExitCode(error.exitCode)
        }
    }

    func printUser(_ user: PreludeUser, as verb: String) throws {
        if json {
            try printJSON(["user_id": user.profile.userID ?? "", "session_id": user.profile.sessionID ?? ""])
        } else {
            print(
                "\(verb) \(user.profile.userID ?? "an unknown user"), session \(user.profile.sessionID ?? "unknown").")
        }
    }

    func printJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

extension PreludeSessionError {
    /// 2: sign in again. 3: not now, try later. 4: refused. 1: anything else.
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
