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
        } catch let error as Usage {
            fail(error.description, status: 2)
        } catch PreludeSessionError.unauthorized {
            fail("Nobody is signed in. Sign in with: Terminal login EMAIL")
        } catch PreludeSessionError.network, PreludeSessionError.timeout {
            fail("There is no answer. You are still signed in; try again later.")
        } catch {
            fail(error.localizedDescription)
        }
    }

    private static func fail(_ message: String, status: Int32 = 1) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
