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
            management keys are read only from PRELUDE_SESSION_MANAGEMENT_KEY, the file, or the file of managementKeyFile. \
            The master keys are in the key file, in PRELUDE_SESSION_MASTER_KEYS, or in the systemd credential \
            prelude-session-keys. A missing database is created, and the schema of an older version is migrated. Settings \
            that are wrong end it with the exit code 78, an option that there is not with 64, and anything else that \
            prevents the start with 1.
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
    @Option(.host) var host: String?
    @Option(.port) var port: String?

    @OptionGroup var shared: ConfigurationOptions

    @Option(.publicUrl) var publicURL: String?
    @Option(.defaultApp) var defaultApp: String?
    @Option(.trustedProxies) var trustedProxies: [String] = []
    @Option(.clientAddressHeader) var clientAddressHeader: String?
    @Option(.countryHeader) var countryHeader: String?
    @Option(.egressNetworks) var egressNetworks: [String] = []
    @Option(.egressTrustRoots, completion: .file()) var egressTrustRoots: String?
    @Option(.managementHost) var managementHost: String?
    @Option(.managementPort) var managementPort: String?
    @Option(.connectionLimit) var connectionLimit: String?
    @Option(.headerTimeout) var headerTimeout: String?
    @Option(.bodyTimeout) var bodyTimeout: String?
    @Option(.idleTimeout) var idleTimeout: String?
    @Option(.requestLimit) var requestLimit: String?
    @Option(.wrongKeyLimit) var wrongKeyLimit: String?
    @Option(.drainDelay) var drainDelay: String?
    @Option(.tlsCertificate, completion: .file()) var tlsCertificate: String?
    @Option(.tlsKey, completion: .file()) var tlsKey: String?
    @Option(.keyRotationDays) var keyRotationDays: String?
    @Option(.keyPublishAhead) var keyPublishAhead: String?
    @Option(.logLevel) var logLevel: String?
    @Option(.logFormat) var logFormat: String?
    @Option(.otlpEndpoint) var otlpEndpoint: String?
    @Option(.otlpRatio) var otlpRatio: String?
    @Flag(.otlpFollowProxies) var otlpFollowProxies = false
    @Flag(.development) var development = false
    @Flag(.allowPublicDevelopment) var allowPublicDevelopment = false

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
    @Option(.database, sources: "$PRELUDE_SESSION_DATABASE, else the config file, else ") var database: String?
    @Option(.keyFile, sources: "$PRELUDE_SESSION_KEY_FILE, else the config file, else ", completion: .file())
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
