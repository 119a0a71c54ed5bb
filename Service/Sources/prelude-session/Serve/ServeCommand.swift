import ArgumentParser

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
            is created, and the schema of an older version is migrated.
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        try await ServiceRunner(configuration: try options.configuration()).run()
    }
}
