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
        func number(_ key: Key) -> Int { problems.value(key.definition.number ?? 0) { try settings.number(key) } }
        func isOn(_ key: Key) -> Bool { problems.value(false) { try settings.flag(key) } }
        host = settings.text(.host)
        port = number(.port)
        database = problems.value(.memory) { try DatabaseLocation(settings) }
        databaseSource = settings.source(of: .database)
        keyFile = problems.value(nil) {
            guard settings.string(.keyFile) != "" else { throw settings.error(.keyFile, "must name a file") }
            return settings.string(.keyFile)
        }
        publicURL = settings.string(.publicUrl)
        isDevelopment = isOn(.development)
        allowsPublicDevelopment = isOn(.allowPublicDevelopment)
        clientAddressHeader = problems.value(nil) {
            try Self.proxyHeader(.clientAddressHeader, "X-Real-IP", Self.headersOfClients, settings)
        }
        countryHeader = problems.value(nil) {
            try Self.proxyHeader(
                .countryHeader, "CF-IPCountry", Self.headersOfClients.union(Self.headersOfAddresses), settings)
        }
        managementKeys = problems.value([]) { try Self.managementKeys(settings) }
        logLevel = problems.value(.info) { try settings.word(.logLevel) }
        logFormat = problems.value(.text) { try settings.word(.logFormat) }
        defaultApp = problems.value(nil) { try Self.defaultApp(settings) }
        trustedProxies = problems.value([]) { try settings.networks(.trustedProxies) }
        egressNetworks = problems.value([]) { try settings.networks(.egressNetworks) }
        egressTrustRoots = settings.string(.egressTrustRoots)
        let days = number(.keyRotationDays)
        keyRotation = KeyRotationPolicy(
            interval: days == 0 ? nil : days * 86_400, publishAhead: number(.keyPublishAhead))
        let publicPort = port
        managementListener = problems.value(nil) { try Self.managementListener(settings, publicPort: publicPort) }
        connections = ConnectionLimits()
        connections.connections = number(.connectionLimit)
        connections.headerTimeout = number(.headerTimeout)
        connections.bodyTimeout = number(.bodyTimeout)
        connections.idleTimeout = number(.idleTimeout)
        requestLimit = number(.requestLimit)
        wrongKeyLimit = number(.wrongKeyLimit)
        drainDelay = number(.drainDelay)
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

    private static func defaultApp(_ settings: Settings) throws -> AppID? {
        guard let text = settings.string(.defaultApp) else { return nil }
        guard let id = AppID(text) else {
            throw settings.error(.defaultApp, "must be an app id: 7 lower-case letters or digits")
        }
        return id
    }
}
