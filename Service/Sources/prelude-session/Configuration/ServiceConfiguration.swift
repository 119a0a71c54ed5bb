import HTTPTypes
import Logging
import SessionDomain
import SessionHTTP
import SessionTelemetry

/// The settings of the operator. A flag overrides the environment, and the environment overrides the file.
struct ServiceConfiguration: Sendable {
    /// The texts of all settings, with their sources.
    let settings: Settings
    var host: String
    var port: Int
    var database: DatabaseLocation
    /// Which source names the database.
    var databaseSource: Settings.Source
    var keyFile: String?
    var publicURL: String?
    var defaultApp: AppID?
    var trustedProxies: [IPNetwork]
    /// `nil`: `X-Forwarded-For`.
    var clientAddressHeader: HTTPField.Name?
    var countryHeader: HTTPField.Name?
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
    var logLevel: Logger.Level
    var logFormat: LogFormat
    /// `nil`: traces are off.
    var traces: TraceSettings?
    /// `nil`: the listener of the apps serves the management API, too.
    var managementListener: ManagementListener?
    var connections: ConnectionLimits
    /// The most requests in work, of all connections of a listener together.
    var requestLimit: Int
    /// Wrong management keys that one address may send in ten minutes.
    var wrongKeyLimit: Int
    /// Seconds for which the service goes on after SIGTERM, so that load balancers see that it ends.
    var drainDelay: Int
    /// `nil`: the listeners speak plain HTTP, for a proxy in front of them.
    var tls: TLSFiles?
    /// What `loadForServing` has found in the database. `nil`: it has none, or was not looked at.
    var foundDatabase: DatabaseSummary?
    /// The routes for messages, in the order of `RouteSlot.all`.
    let routes: [PlacedRoute]
    /// Domains that the mail servers send from, besides those of their own senders.
    let senderDomains: Set<String>

    /// The names of the settings in the file. In the environment: `PRELUDE_SESSION_` and the name in upper snake case.
    enum Key: String, CaseIterable {
        case host, port, database, keyFile, publicUrl, defaultApp, trustedProxies, clientAddressHeader, countryHeader
        case development, allowPublicDevelopment, egressNetworks, egressTrustRoots, managementKey
        case managementKeyFile, databasePasswordFile, logLevel, logFormat
        case otlpEndpoint, otlpRatio, otlpFollowProxies, keyRotationDays, keyPublishAhead
        case managementHost, managementPort, connectionLimit, headerTimeout, bodyTimeout, idleTimeout
        case requestLimit, wrongKeyLimit, drainDelay, tlsCertificate, tlsKey
        case emailRoute, emailHost, emailPort, emailTls, emailAuth, emailUsername, emailSecret, emailSecretFile
        case emailUrl, emailFrom, emailSenderDomains
        case emailFallbackRoute, emailFallbackHost, emailFallbackPort, emailFallbackTls, emailFallbackAuth
        case emailFallbackUsername, emailFallbackSecret, emailFallbackSecretFile, emailFallbackUrl, emailFallbackFrom
        case smsRoute, smsAccount, smsUsername, smsSecret, smsSecretFile, smsUrl, smsFrom
        case smsFallbackRoute, smsFallbackAccount, smsFallbackUsername, smsFallbackSecret, smsFallbackSecretFile
        case smsFallbackUrl, smsFallbackFrom

        /// The name on the command line, without `--`. A flag of a list is repeated, so its name is singular.
        var flag: String {
            switch self {
            case .trustedProxies: "trusted-proxy"
            case .egressNetworks: "egress-network"
            default: words.joined(separator: "-")
            }
        }

        /// Whether `serve` has the flag. Arguments of a process can be read by others, so secrets have none.
        var hasFlag: Bool {
            let others: [Key] = [.managementKey, .managementKeyFile, .databasePasswordFile]
            return !others.contains(self) && !rawValue.hasPrefix("email") && !rawValue.hasPrefix("sms")
        }

        /// The name in the environment.
        var variable: String { EnvironmentVariables.prefix + words.joined(separator: "_").uppercased() }

        private var words: [String] {
            rawValue.reduce(into: [""]) { words, character in
                if character.isUppercase { words.append("") }
                words[words.count - 1] += character.lowercased()
            }
        }

        /// Whether the value must not appear in logs.
        var isSecret: Bool { self == .managementKey || rawValue.hasSuffix("Secret") }

        var isList: Bool { [.trustedProxies, .egressNetworks, .managementKey, .emailSenderDomains].contains(self) }
    }

    /// Reads the configuration, for every command on the database.
    ///
    /// - Parameters:
    ///   - flags: The settings of the command line.
    ///   - file: The path of the settings file from the command line. `nil`: the path from the environment, if any.
    ///   - environment: The variables of the process.
    /// - Throws: `InvalidConfiguration` with everything that is wrong: unknown names and invalid values.
    static func load(flags: [Key: String], file: String?, environment: [String: String]) throws -> Self {
        var problems = ConfigurationProblems()
        let configuration = read(flags: flags, file: file, environment: environment, problems: &problems)
        try problems.throwIfAny()
        return configuration
    }

    /// - Parameter problems: Gets all errors. The default is used in place of an invalid value.
    static func read(
        flags: [Key: String], file: String?, environment: [String: String], problems: inout ConfigurationProblems
    ) -> Self {
        let file = file ?? environment[EnvironmentVariables.prefix + "CONFIG"]
        let settings = Settings(flags: flags, environment: environment, file: file, problems: &problems)
        return ServiceConfiguration(settings, problems: &problems)
    }

    private init(_ settings: Settings, problems: inout ConfigurationProblems) {
        self.settings = settings
        host = settings.string(.host) ?? "127.0.0.1"
        port = problems.value(8080) { try settings.number(.port, in: 1...65535) }
        database = problems.value(.memory) { try DatabaseLocation(settings) }
        databaseSource = settings.source(of: .database)
        keyFile = problems.value(nil) {
            guard settings.string(.keyFile) != "" else { throw settings.error(.keyFile, "must name a file") }
            return settings.string(.keyFile)
        }
        publicURL = settings.string(.publicUrl)
        isDevelopment = problems.value(false) { try settings.flag(.development) }
        allowsPublicDevelopment = problems.value(false) { try settings.flag(.allowPublicDevelopment) }
        clientAddressHeader = problems.value(nil) {
            try Self.proxyHeader(.clientAddressHeader, "X-Real-IP", Self.headersOfClients, settings)
        }
        countryHeader = problems.value(nil) {
            try Self.proxyHeader(
                .countryHeader, "CF-IPCountry", Self.headersOfClients.union(Self.headersOfAddresses), settings)
        }
        managementKeys = problems.value([]) { try Self.managementKeys(settings) }
        logLevel = problems.value(.info) { try Self.logLevel(settings) }
        logFormat = problems.value(.text) { try Self.logFormat(settings) }
        defaultApp = problems.value(nil) { try Self.defaultApp(settings) }
        trustedProxies = problems.value([]) { try settings.networks(.trustedProxies) }
        egressNetworks = problems.value([]) { try settings.networks(.egressNetworks) }
        egressTrustRoots = settings.string(.egressTrustRoots)
        keyRotation = Self.keyRotation(
            days: problems.value(nil) { try settings.number(.keyRotationDays, in: 0...3650) },
            publishAhead: problems.value(nil) {
                try settings.number(.keyPublishAhead, in: AppDirectory.lifetime + 1...86_400)
            })
        let publicPort = port
        managementListener = problems.value(nil) { try Self.managementListener(settings, publicPort: publicPort) }
        connections = Self.connections(settings, problems: &problems)
        requestLimit = problems.value(ConnectionLimits.requests) {
            try settings.number(.requestLimit, in: 16...100_000)
        }
        wrongKeyLimit = problems.value(ManagementKeys.wrongKeys) {
            try settings.number(.wrongKeyLimit, in: 1...1_000_000)
        }
        drainDelay = problems.value(0) { try settings.number(.drainDelay, in: 0...300) }
        traces = Self.traces(settings, problems: &problems)
        tls = problems.value(nil) { try Self.tlsFiles(settings) }
        routes = Self.routes(settings, problems: &problems)
        let mailServers = routes.filter { $0.slot.channel == .email && $0.route.settings.kind == .smtp }
        senderDomains = problems.value([]) { try Self.senderDomains(settings, ofServers: mailServers.count) }
    }

    /// A header in which a proxy says what it has found.
    private static func proxyHeader(
        _ key: Key, _ example: String, _ others: Set<String>, _ settings: Settings
    ) throws -> HTTPField.Name? {
        guard let name = settings.string(key) else { return nil }
        guard let header = HTTPField.Name(name) else {
            throw settings.error(
                key,
                "\"\(name.escapedForTerminal)\" is not the name of a header: letters, digits and hyphens, such as "
                    + "\(example) (RFC 9110 §5.6.2)")
        }
        guard !others.contains(header.canonicalName) else {
            throw settings.error(
                key, "\(name) is a header that clients set for another purpose. Name the one of your proxy")
        }
        return header
    }

    /// Headers that never contain what a proxy has found about a client.
    private static let headersOfClients: Set = [
        "accept", "accept-encoding", "accept-language", "authorization", "connection", "content-length", "content-type",
        "cookie", "date", "dpop", "host", "origin", "proxy-authorization", "referer", "user-agent",
        "x-forwarded-host", "x-forwarded-proto",
    ]
    private static let headersOfAddresses: Set = ["forwarded", "x-forwarded-for", "x-real-ip"]

    private static func logLevel(_ settings: Settings) throws -> Logger.Level? {
        guard let text = settings.string(.logLevel) else { return nil }
        guard let level = Logger.Level(rawValue: text) else {
            throw settings.error(.logLevel, "must be trace, debug, info, notice, warning, error or critical")
        }
        return level
    }

    private static func logFormat(_ settings: Settings) throws -> LogFormat? {
        guard let text = settings.string(.logFormat) else { return nil }
        guard let format = LogFormat(rawValue: text) else {
            throw settings.error(.logFormat, "must be text or json")
        }
        return format
    }

    private static func defaultApp(_ settings: Settings) throws -> AppID? {
        guard let text = settings.string(.defaultApp) else { return nil }
        guard let id = AppID(text) else {
            throw settings.error(.defaultApp, "must be an app id: 7 lower-case letters or digits")
        }
        return id
    }
}
