import ArgumentParser
import SessionDomain

/// `prelude-session check`: validates a configuration and starts nothing.
@available(service, *)
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration of the service without starting it.",
        discussion: """
            Takes the flags, the environment and the file of `serve`, and prints everything that is wrong: the file and \
            the line, the setting, and the remedy. Run it as the user of the service, because it also checks which files \
            this user can read and write. It reads an existing database and changes nothing, so the service may run.
            """)

    @OptionGroup var options: ServeOptions

    func run() throws {
        let configuration = try options.configuration()
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
        for warning in ConfigurationWarnings(of: configuration).lines {
            print("warning       \(warning.escapedForTerminal)")
        }
    }
}
