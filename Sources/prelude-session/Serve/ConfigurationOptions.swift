import ArgumentParser
import Foundation

/// The flags of `serve` that every command on its database has, too, with one meaning.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: """
            sqlite:PATH, or for serve sqlite::memory:. (else $PRELUDE_SESSION_DATABASE, else the file's; default: \
            sqlite:prelude-session.sqlite)
            """)
    var database: String?

    @Option(
        help: """
            The file with the master keys, made with the database. (else $PRELUDE_SESSION_KEY_FILE, else the file's; \
            default: the database's path and .keys)
            """)
    var keyFile: String?

    @Option(help: "A JSON file with settings. (else $PRELUDE_SESSION_CONFIG; default: none)")
    var config: String?

    /// The whole configuration: these flags and others of the command, the environment, and the file.
    func configuration(_ others: [ServiceConfiguration.Key: String] = [:]) async throws -> ServiceConfiguration {
        var flags = others
        flags[.database] = database
        flags[.keyFile] = keyFile
        return try await ServiceConfiguration.load(
            flags: flags, file: config, environment: ProcessInfo.processInfo.environment)
    }
}
