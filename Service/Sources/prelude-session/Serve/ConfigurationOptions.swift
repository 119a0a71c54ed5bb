import ArgumentParser
import Foundation

/// The flags that `serve` and all commands on its database have.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: """
            sqlite:PATH, postgresql://USER@HOST:PORT/DATABASE, or sqlite::memory: for serve. (default: \
            $PRELUDE_SESSION_DATABASE, else the config file, else sqlite:prelude-session.sqlite)
            """)
    var database: String?

    @Option(
        help: """
            The file with the master keys, created with the database. (default: $PRELUDE_SESSION_KEY_FILE, else the \
            config file, else the path of an embedded database with .keys)
            """, completion: .file())
    var keyFile: String?

    @Option(help: "A JSON file with settings. (default: $PRELUDE_SESSION_CONFIG)", completion: .file())
    var config: String?

    /// The settings of these flags.
    var flags: [ServiceConfiguration.Key: String] {
        var flags: [ServiceConfiguration.Key: String] = [:]
        flags[.database] = database
        flags[.keyFile] = keyFile
        return flags
    }

    /// Reads the configuration from these flags, other flags of the command, the environment and the file.
    func configuration(_ others: [ServiceConfiguration.Key: String] = [:]) throws -> ServiceConfiguration {
        try ServiceConfiguration.load(
            flags: flags.merging(others) { flag, _ in flag }, file: config,
            environment: ProcessInfo.processInfo.environment)
    }
}
