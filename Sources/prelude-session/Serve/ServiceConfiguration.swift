import SessionDomain
import SessionHTTP
import SessionSQLite

/// The settings of the operator. A flag overrides the environment, and the environment overrides the file.
@available(service, *)
struct ServiceConfiguration: Sendable {
    var host: String
    var port: Int
    var database: SQLiteLocation
    /// Which source names the database.
    var databaseSource: Settings.Source
    var keyFile: String?
    var publicURL: String?
    var defaultApp: AppID?
    var trustedProxies: [IPNetwork]
    var countryHeader: String?
    var isDevelopment: Bool
    var allowsPublicDevelopment: Bool
    /// Networks that hooks and webhooks may call although they are private or special-purpose.
    var egressNetworks: [IPNetwork]
    /// Path of a PEM file with authorities that outbound https trusts in addition to the system's.
    var egressTrustRoots: String?
    /// Keys of the management API that are valid for all apps. More than one during a change of keys.
    var managementKeys: [String]
    /// When signing keys are rotated.
    var keyRotation: KeyRotationPolicy
    var logLevel: String
    /// `nil`: the listener of the apps serves the management API, too.
    var managementListener: ManagementListener?
    var connections: ConnectionLimits
    /// How messages are sent. Empty: no delivery is configured.
    var delivery: ConfiguredRoutes

    /// The names of the settings in the file. In the environment: `PRELUDE_SESSION_` and the name in upper snake case.
    enum Key: String, CaseIterable {
        case host, port, database, keyFile, publicUrl, defaultApp, trustedProxies, countryHeader, development
        case allowPublicDevelopment, egressNetworks, egressTrustRoots, managementKey, logLevel
        case keyRotationDays, keyPublishAhead
        case managementHost, managementPort, connectionLimit, headerTimeout, bodyTimeout, idleTimeout
        case emailRoute, emailHost, emailPort, emailTls, emailAuth, emailUsername, emailSecret, emailSecretFile
        case emailUrl, emailFrom
        case emailFallbackRoute, emailFallbackHost, emailFallbackPort, emailFallbackTls, emailFallbackAuth
        case emailFallbackUsername, emailFallbackSecret, emailFallbackSecretFile, emailFallbackUrl, emailFallbackFrom
        case smsRoute, smsAccount, smsUsername, smsSecret, smsSecretFile, smsUrl, smsFrom
        case smsFallbackRoute, smsFallbackAccount, smsFallbackUsername, smsFallbackSecret, smsFallbackSecretFile
        case smsFallbackUrl, smsFallbackFrom

        var flag: String {
            rawValue.reduce(into: "") { flag, character in
                flag += character.isUppercase ? "-" + character.lowercased() : String(character)
            }
        }

        /// Whether the value must not appear in logs.
        var isSecret: Bool { self == .managementKey || rawValue.hasSuffix("Secret") }

        var isList: Bool { [.trustedProxies, .egressNetworks, .managementKey].contains(self) }
    }

    static let environmentPrefix = "PRELUDE_SESSION_"

    /// Reads the configuration, for `serve` and for every command on its database.
    ///
    /// - Parameters:
    ///   - flags: The settings of the command line.
    ///   - file: The path of the settings file from the command line. `nil`: the path from the environment, if any.
    ///   - environment: The variables of the process.
    /// - Throws: `ConfigurationError` for an unknown setting or an invalid value.
    static func load(flags: [Key: String], file: String?, environment: [String: String]) async throws -> Self {
        try ServiceConfiguration(
            await Settings(
                flags: flags, environment: environment, file: file ?? environment[environmentPrefix + "CONFIG"]))
    }

    private init(_ settings: Settings) throws {
        host = settings.string(.host) ?? "127.0.0.1"
        port = try settings.number(.port, in: 1...65535) ?? 8080
        database = try SQLiteLocation(configured: settings.string(.database) ?? "sqlite:prelude-session.sqlite")
        databaseSource = settings.source(of: .database)
        keyFile = settings.string(.keyFile)
        publicURL = settings.string(.publicUrl)
        isDevelopment = try settings.flag(.development)
        allowsPublicDevelopment = try settings.flag(.allowPublicDevelopment)
        countryHeader = settings.string(.countryHeader)
        managementKeys = settings.list(.managementKey)
        logLevel = settings.string(.logLevel) ?? "info"
        defaultApp = try settings.string(.defaultApp).map { text in
            guard let id = AppID(text) else {
                throw ConfigurationError("default-app", "must be an app id: 7 lower-case letters or digits")
            }
            return id
        }
        trustedProxies = try settings.networks(.trustedProxies, flag: "trusted-proxy")
        egressNetworks = try settings.networks(.egressNetworks, flag: "egress-network")
        egressTrustRoots = settings.string(.egressTrustRoots)
        keyRotation = Self.keyRotation(
            days: try settings.number(.keyRotationDays, in: 0...3650),
            publishAhead: try settings.number(.keyPublishAhead, in: AppDirectory.lifetime + 1...86_400))
        managementListener = try Self.managementListener(settings, publicPort: port)
        connections = try Self.connections(settings)
        delivery = try Self.delivery(settings)
    }

    /// Checks the requirements of `serve`.
    func checkServing() throws {
        if isDevelopment && !IPNetwork.isLoopback(host: host) && !allowsPublicDevelopment {
            throw ConfigurationError(
                "host",
                "other machines can reach \(host), and development mode shows all codes to everyone. "
                    + "Use 127.0.0.1, or add --allow-public-development to allow it")
        }
        if !isDevelopment && publicURL == nil {
            throw ConfigurationError(
                "public-url", "is required: the origin at which apps reach the service, with or without {app_id}")
        }
        if !isDevelopment, let publicURL, !publicURL.hasPrefix("https://") {
            throw ConfigurationError("public-url", "must begin with https:// outside development mode")
        }
        try checkRotating()
    }
}

/// A setting is invalid or cannot be used.
struct ConfigurationError: Error, CustomStringConvertible {
    let setting: String
    let problem: String

    init(_ setting: String, _ problem: String) {
        self.setting = setting
        self.problem = problem
    }

    var description: String { "\(setting): \(problem)" }
}

extension SQLiteLocation {
    /// Reads `sqlite:PATH` or `sqlite::memory:`.
    init(configured text: String) throws {
        guard text.hasPrefix("sqlite:"), text.count > "sqlite:".count else {
            throw ConfigurationError("database", "must be sqlite:PATH or sqlite::memory:")
        }
        let path = String(text.dropFirst("sqlite:".count))
        self = path == ":memory:" ? .memory : .file(path)
    }
}
