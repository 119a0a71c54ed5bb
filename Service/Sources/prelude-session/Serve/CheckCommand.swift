import ArgumentParser
import SessionDomain

/// `prelude-session check`: validates a configuration and starts nothing.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration of the service without starting it.",
        discussion: """
            Takes the flags, the environment and the file of `serve`, and prints everything that is wrong: the file and \
            the line, the setting, and the remedy. Run it as the user of the service, because it also checks which files \
            this user can read and write. It reads an existing database, also that of a PostgreSQL server, and changes nothing, \
            so the service may run.
            """)

    @OptionGroup var options: ServeOptions

    func run() throws {
        let configuration = try options.configuration(connects: true)
        print("The configuration is valid.")
        for warning in try configuration.tls?.read(configuration.settings).warnings(at: ServiceEnvironment.live.now())
            ?? []
        {
            print("warning       \(warning)")
        }
        print("listens on    \(configuration.host), port \(configuration.port)")
        if let management = configuration.managementListener {
            print("management    \(management.host), port \(management.port)")
        }
        print("public URL    \(configuration.publicURL ?? "http://localhost:\(configuration.port), for development")")
        print("database      \(configuration.database.fullPath)")
        if let found = configuration.foundDatabase {
            let change = Self.change(of: found.schema, to: configuration.database.supportedSchema)
            if let change { print("notice        \(change)") }
            for warning in found.warnings { print("warning       \(warning.escapedForTerminal)") }
        }
        for warning in ConfigurationWarnings(of: configuration).lines {
            print("warning       \(warning.escapedForTerminal)")
        }
    }

    /// What the start does to the schema. `nil`: nothing.
    private static func change(of schema: Int, to supported: Int) -> String? {
        if schema == 0 { return "the database has no tables: the start creates them" }
        if schema > supported {
            return "a newer version has migrated the database to schema \(schema), which this version can still use"
        }
        return schema < supported
            ? "the start migrates the database from schema \(schema) to \(supported). Back up before" : nil
    }
}
