import ArgumentParser
import Foundation

/// `prelude-session serve`: reads the configuration and runs the service until a signal.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the session service.",
        discussion: """
            Each flag can also be set in the environment (PRELUDE_SESSION_PUBLIC_URL for --public-url) or in the file of \
            --config (publicUrl). A flag overrides the environment, and the environment overrides the file. The \
            management keys are read only from PRELUDE_SESSION_MANAGEMENT_KEY or the file. The master keys are in the key \
            file, in PRELUDE_SESSION_MASTER_KEYS, or in the systemd credential prelude-session-keys. A missing database \
            is created, and the schema of an older version is migrated. Settings that are wrong end it with the exit code \
            78, anything else that prevents the start with 1.
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        try await ServiceRunner(configuration: try configuration()).run()
    }

    /// - Throws: `ExitCode` of a wrong configuration, for a service manager that would start the same again.
    private func configuration() throws -> ServiceConfiguration {
        do {
            return try options.configuration()
        } catch let error as InvalidConfiguration where !error.mayPass {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw Self.wrongConfiguration
        }
    }

    /// `EX_CONFIG` of sysexits(3). All other errors exit with 1.
    private static let wrongConfiguration = ExitCode(78)
}
