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
            78, an option that there is not with 64, and anything else that prevents the start with 1.
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

/// The flags of `serve`, which `check` has, too: one for each setting.
struct ServeOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on. (default: 8080)")
    var port: String?

    @OptionGroup var shared: ConfigurationOptions

    @Option(help: "The origin at which apps reach the service, such as https://{app_id}.session.example.com.")
    var publicURL: String?

    @Option(help: "The id of the app for hosts that name no app.")
    var defaultApp: String?

    @Option(
        name: .customLong("trusted-proxy"),
        help: "The address or network of a proxy whose forwarding headers are trusted. Can be repeated.")
    var trustedProxies: [String] = []

    @Option(
        help: """
            The header in which a trusted proxy sends the caller's address: X-Forwarded-For, Forwarded, or one with a single \
            address, such as X-Real-IP. No other one is read. (default: X-Forwarded-For)
            """)
    var clientAddressHeader: String?

    @Option(help: "The header in which a trusted proxy sends the caller's country.")
    var countryHeader: String?

    @Option(
        name: .customLong("egress-network"),
        help: "A private network that hooks and webhooks may call, such as 10.0.0.0/8. Can be repeated.")
    var egressNetworks: [String] = []

    @Option(
        help: "A PEM file with authorities that outbound https trusts in addition to the system's.", completion: .file()
    )
    var egressTrustRoots: String?

    @Option(help: "The address of the management API, with --management-port. (default: 127.0.0.1)")
    var managementHost: String?

    @Option(
        help: """
            A port for the management API alone. The other port then serves apps only. (default: one port for both)
            """)
    var managementPort: String?

    @Option(help: "Connections that are served at the same time. (default: 4000)")
    var connectionLimit: String?

    @Option(help: "Seconds in which the headers of a request must arrive. (default: 10)")
    var headerTimeout: String?

    @Option(help: "Seconds in which the body of a request must arrive. (default: 20)")
    var bodyTimeout: String?

    @Option(help: "Seconds after which a connection without a request is closed. (default: 75)")
    var idleTimeout: String?

    @Option(
        help: """
            Requests that the service works on at the same time. Further ones get 503, the least urgent first. (default: \
            512)
            """)
    var requestLimit: String?

    @Option(
        help: """
            Wrong management keys that one address may send in ten minutes. A valid key is never refused. (default: 20)
            """)
    var wrongKeyLimit: String?

    @Option(
        help: """
            Seconds that the service goes on after SIGTERM, with 503 at /readyz, so that load balancers send requests \
            elsewhere. (default: 0)
            """)
    var drainDelay: String?

    @Option(
        help: "A PEM file with the certificate chain for TLS, with --tls-key. (default: plain HTTP)",
        completion: .file())
    var tlsCertificate: String?

    @Option(help: "A PEM file with the private key of the certificate.", completion: .file())
    var tlsKey: String?

    @Option(help: "Days after which signing keys are rotated; 0 for never. (default: 90)")
    var keyRotationDays: String?

    @Option(
        help: """
            Seconds that a new signing key is published before it signs. Less than 395 only in development. (default: \
            395)
            """)
    var keyPublishAhead: String?

    @Option(
        help: "The log level: trace, debug, info, notice, warning, error or critical. (default: info)",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?

    @Option(
        help: "The form of the log: text, or json with one object per line. (default: text)",
        completion: .list(["text", "json"]))
    var logFormat: String?

    @Option(help: "The base URL of a collector for traces, such as http://127.0.0.1:4318. (default: no traces)")
    var otlpEndpoint: String?

    @Option(help: "The part of traces that are recorded, from 0 to 1. (default: 1)")
    var otlpRatio: String?

    @Flag(help: "Record what trusted proxies record: they replace the traceparent of their clients.")
    var otlpFollowProxies = false

    @Flag(
        help:
            "Development mode: an app with all logins on. Codes are shown at /dev, and sent where routes are configured."
    )
    var development = false

    @Flag(help: "Let development mode listen on an address that other machines can reach.")
    var allowPublicDevelopment = false

    /// Reads the configuration and checks all that `serve` needs.
    ///
    /// - Parameter connects: Whether a database server is asked, too.
    func configuration(connects: Bool = false) throws -> ServiceConfiguration {
        try ServiceConfiguration.loadForServing(
            flags: flags, file: shared.config, environment: ProcessInfo.processInfo.environment,
            connects: connects)
    }

    /// The settings of these flags.
    var flags: [ServiceConfiguration.Key: String] {
        var flags = shared.flags
        flags[.host] = host
        flags[.port] = port
        flags[.publicUrl] = publicURL
        flags[.defaultApp] = defaultApp
        flags[.clientAddressHeader] = clientAddressHeader
        flags[.countryHeader] = countryHeader
        flags[.logLevel] = logLevel
        flags[.logFormat] = logFormat
        if !trustedProxies.isEmpty { flags[.trustedProxies] = trustedProxies.joined(separator: ",") }
        if !egressNetworks.isEmpty { flags[.egressNetworks] = egressNetworks.joined(separator: ",") }
        flags[.egressTrustRoots] = egressTrustRoots
        flags[.managementHost] = managementHost
        flags[.managementPort] = managementPort
        flags[.connectionLimit] = connectionLimit
        flags[.headerTimeout] = headerTimeout
        flags[.bodyTimeout] = bodyTimeout
        flags[.idleTimeout] = idleTimeout
        flags[.requestLimit] = requestLimit
        flags[.wrongKeyLimit] = wrongKeyLimit
        flags[.drainDelay] = drainDelay
        flags[.otlpEndpoint] = otlpEndpoint
        flags[.otlpRatio] = otlpRatio
        if otlpFollowProxies { flags[.otlpFollowProxies] = "true" }
        flags[.tlsCertificate] = tlsCertificate
        flags[.tlsKey] = tlsKey
        flags[.keyRotationDays] = keyRotationDays
        flags[.keyPublishAhead] = keyPublishAhead
        if development { flags[.development] = "true" }
        if allowPublicDevelopment { flags[.allowPublicDevelopment] = "true" }
        return flags
    }
}

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
