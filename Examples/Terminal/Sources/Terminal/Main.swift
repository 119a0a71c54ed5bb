import Foundation
import PreludeSession

/// Reads the settings, makes the one client, and runs one command.
@main
enum Main {
    static func main() async {
        do {
            let settings = ProcessInfo.processInfo.environment
            let client = try PreludeSessionClient(
                endpoint: settings["EXAMPLE_SERVICE"].map { .custom($0) } ?? .default)
            let app = App(
                client: client, backend: settings["EXAMPLE_BACKEND"] ?? "http://localhost:8081", console: .standard)
            try await app.run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data((words(for: error) + "\n").utf8))
            exit(error is Usage ? 2 : 1)
        }
    }
}
