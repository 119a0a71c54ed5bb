import ArgumentParser
import Foundation

/// `prelude-session serve`: reads the configuration and runs the service until a signal.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the session service.",
        discussion: """
            Each flag can also be set in the environment (PRELUDE_SESSION_PUBLIC_URL for --public-url) or in the file \
            given by --config (publicUrl). Flags win over the environment, and the environment over the file. The \
            management key is read from PRELUDE_SESSION_MANAGEMENT_KEY or the file only. The master keys are in the key \
            file, in PRELUDE_SESSION_MASTER_KEYS, or in the systemd credential prelude-session-keys.
            """)

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on. (default: 8080)")
    var port: String?

    @Option(help: "sqlite:PATH or sqlite::memory:. (default: sqlite:prelude-session.sqlite)")
    var database: String?

    @Option(help: "The file with the master keys, made at the first start. (default: the database's path and .keys)")
    var keyFile: String?

    @Option(help: "The origin under which apps reach the service, such as https://{app_id}.session.example.com.")
    var publicURL: String?

    @Option(help: "The app that serves hosts which name none.")
    var defaultApp: String?

    @Option(name: .customLong("trusted-proxy"), help: "A proxy's address or network whose X-Forwarded-* count.")
    var trustedProxies: [String] = []

    @Option(help: "The header in which a trusted proxy names the caller's country.")
    var countryHeader: String?

    @Option(
        name: .customLong("egress-network"),
        help: "A private network that hooks and webhooks may reach, such as 10.0.0.0/8.")
    var egressNetworks: [String] = []

    @Option(help: "A PEM file with authorities that outbound https trusts besides the system's.")
    var egressTrustRoots: String?

    @Option(help: "Days after which signing keys get a successor; 0 for never. (default: 90)")
    var keyRotationDays: String?

    @Option(help: "Seconds for which a new signing key is published before it signs. (default: 395)")
    var keyPublishAhead: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Option(help: "A JSON file with settings.")
    var config: String?

    @Flag(help: "Development mode: an app with every login on, codes shown at /dev, no mail and no SMS sent.")
    var development = false

    @Flag(help: "Let development mode listen where others can reach it.")
    var allowPublicDevelopment = false

    func run() async throws {
        var flags: [ServiceConfiguration.Key: String] = [:]
        flags[.host] = host
        flags[.port] = port
        flags[.database] = database
        flags[.keyFile] = keyFile
        flags[.publicUrl] = publicURL
        flags[.defaultApp] = defaultApp
        flags[.countryHeader] = countryHeader
        flags[.logLevel] = logLevel
        if !trustedProxies.isEmpty { flags[.trustedProxies] = trustedProxies.joined(separator: ",") }
        if !egressNetworks.isEmpty { flags[.egressNetworks] = egressNetworks.joined(separator: ",") }
        flags[.egressTrustRoots] = egressTrustRoots
        flags[.keyRotationDays] = keyRotationDays
        flags[.keyPublishAhead] = keyPublishAhead
        if development { flags[.development] = "true" }
        if allowPublicDevelopment { flags[.allowPublicDevelopment] = "true" }
        let environment = ProcessInfo.processInfo.environment
        let configuration = try await ServiceConfiguration.load(
            flags: flags, environment: environment, file: config ?? environment["PRELUDE_SESSION_CONFIG"])
        try await ServiceRunner(configuration: configuration).run()
    }
}
