import Foundation
import PreludeSession
import PreludeSessionAsyncHTTPClient

/// Reads the settings, makes the only client, and runs one command.
@main
enum Main {
    static func main() async {
        do {
            let settings = ProcessInfo.processInfo.environment
            let app = App(
                client: try client(settings: settings), backend: settings["EXAMPLE_BACKEND"] ?? "http://localhost:8081",
                console: .standard)
            try await app.run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            printError(message(for: error))
            exit(error is Usage ? 2 : 1)
        }
    }

    /// Makes the client for the settings.
    static func client(settings: [String: String]) throws -> PreludeSessionClient {
        var configuration = PreludeSessionClient.Configuration(
            endpoint: settings["EXAMPLE_SERVICE"].map { .custom($0) } ?? .default)
        // On Linux the default, URLSession, ends the process when a connection closes at the wrong moment.
        configuration.transport = AsyncHTTPClientTransport()
        configuration.logHandler = settings["EXAMPLE_LOG"] == "1" ? Log(write: printError) : nil
        return try PreludeSessionClient(configuration: configuration)
    }

    @Sendable private static func printError(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
