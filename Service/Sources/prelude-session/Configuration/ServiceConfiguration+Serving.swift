import Foundation
import SessionDelivery
import SessionDomain
import SessionEgress
import SessionHTTP
import SessionPostgres
import SessionSQLite
import SessionTokens

extension ServiceConfiguration {
    /// Reads the configuration, and checks all that `serve` needs, without starting or changing anything.
    ///
    /// - Parameters:
    ///   - flags, file, environment: As those of `load`.
    ///   - connects: Whether a database server is asked, too. The start asks it when it opens the database.
    /// - Throws: `InvalidConfiguration` with everything that is wrong.
    static func loadForServing(
        flags: [Key: String], file: String?, environment: [String: String], connects: Bool = false
    ) throws -> Self {
        var problems = ConfigurationProblems()
        var configuration = read(flags: flags, file: file, environment: environment, problems: &problems)
        if !configuration.settings.hasReadFile { try problems.throwIfAny() }
        configuration.checkServing(environment: environment, connects: connects, problems: &problems)
        try problems.throwIfAny()
        return configuration
    }

    private mutating func checkServing(
        environment: [String: String], connects: Bool, problems: inout ConfigurationProblems
    ) {
        if problems.value(false, { try checkHostNames() }) {
            problems.checkMachine { problems in problems.check { try checkHosts() } }
        }
        // An invalid value of `development` is reported already. What follows depends on it.
        if (try? settings.flag(.development)) != nil {
            problems.check { try checkReach() }
            problems.check { try checkPublicURL() }
            problems.check { try checkRotating() }
        }
        problems.check { _ = try checkedManagementKeys(now: ServiceEnvironment.live.now()) }
        // Files can be mounted late, or be replaced at this moment.
        problems.checkMachine { problems in
            problems.check { _ = try makeEgressClient() }
            problems.check { _ = try tls?.read(settings) }
        }
        checkDelivery(problems: &problems)
        // With an invalid path there is no database to compare the other settings with.
        guard (try? DatabaseLocation(settings)) != nil else { return }
        guard problems.value(false, { try checkMasterKeyValue(environment: environment) }) else { return }
        problems.checkMachine { problems in
            foundDatabase = problems.value(nil) { try checkDatabase(environment: environment, connects: connects) }
        }
    }

    /// Development mode shows all codes.
    private func checkReach() throws {
        guard isDevelopment, !allowsPublicDevelopment else { return }
        let hosts = [(Key.host, host), (.managementHost, managementListener?.host ?? host)]
        guard let (key, host) = hosts.first(where: { !IPNetwork.isLoopback(host: $0.1) }) else { return }
        throw settings.error(
            key,
            "other machines can reach \(host), and development mode shows all codes to everyone. "
                + "Use 127.0.0.1, or add --allow-public-development to allow it")
    }

    private func checkPublicURL() throws {
        if !isDevelopment {
            guard let publicURL else {
                throw settings.error(
                    .publicUrl, "is required: the origin at which apps reach the service, with or without {app_id}")
            }
            guard publicURL.hasPrefix("https://") else {
                throw settings.error(.publicUrl, "must begin with https:// outside development mode")
            }
        }
        _ = try origins()
    }

    /// - Returns: `true`.
    private func checkHostNames() throws -> Bool {
        for (key, host) in [(Key.host, host), (.managementHost, managementListener?.host ?? host)] {
            guard ListenAddress.isName(host) else {
                throw settings.error(
                    key, "must be an address, such as 127.0.0.1 or ::1, or a name. The port is a setting of its own")
            }
        }
        return true
    }

    private func checkHosts() throws {
        try ListenAddress(host: host, port: port).check(settings, host: .host, port: .port, mayBeUsed: true)
        if let managementListener {
            try ListenAddress(host: managementListener.host, port: managementListener.port)
                .check(settings, host: .managementHost, port: .managementPort, mayBeUsed: true)
        }
    }

    /// Checks master keys that are a value, not a file.
    ///
    /// - Returns: `true`.
    private func checkMasterKeyValue(environment: [String: String]) throws -> Bool {
        let source = try MasterKeySource.find(for: self, environment: environment)
        if case .environment? = source { _ = try source?.read() }
        return true
    }

    /// Checks the folder of the database, the master keys, and that the database fits both keys and default app.
    private func checkDatabase(environment: [String: String], connects: Bool) throws -> DatabaseSummary? {
        let source = try MasterKeySource.find(for: self, environment: environment)
        let keys = try source?.read()
        guard let source else { return nil }
        if case .file(let path) = database {
            try checkIsWritable(database: path)
            try checkFileSystem(ofDatabase: path)
        }
        // A server that is not asked may have apps. Then the start creates no keys.
        if case .server = database, !connects { return nil }
        let summary = try summary(checkingStructure: connects)
        if let keys {
            let missing = (summary?.sealingKeyIDs ?? []).subtracting(keys.map(\.id))
            guard missing.isEmpty else { throw source.lacks(missing) }
        } else if let summary, !summary.apps.isEmpty {
            throw source.isMissing
        } else if case .file(let file) = source, let problem = WritableFolder(of: file.path).problem {
            throw settings.error(.keyFile, problem)
        }
        // The app of a new database can be created after the start.
        if let summary, summary.schema > 0 { try checkDefaultApp(in: summary.apps) }
        return summary
    }

    private func summary(checkingStructure: Bool) throws -> DatabaseSummary? {
        do throws(StoreError) {
            switch database {
            case .memory: return nil
            case .file(let path): return try DatabaseSummary.read(at: path, checkingStructure: checkingStructure)
            case .server(let location): return try DatabaseSummary.read(from: location)
            }
        } catch {
            throw ConfigurationError(error, opening: database, from: databaseSource)
        }
    }

    /// In development mode, an app may be created after the start, through the management API.
    func checkDefaultApp(in apps: Set<AppID>) throws {
        guard let defaultApp, !isDevelopment, !apps.contains(defaultApp) else { return }
        let similar = NearestName.of(defaultApp.rawValue, in: apps.map(\.rawValue)).map { " Did you mean \($0)?" }
        throw settings.error(
            .defaultApp,
            "there is no app \(defaultApp) in \(database.fullPath).\(similar ?? "") `prelude-session app list` lists the "
                + "apps, and `prelude-session app create NAME --id \(defaultApp)` creates this one")
    }
}

extension ServiceConfiguration {
    /// The origins at which apps reach the service. In development mode, the names of the loopback are accepted, too.
    func origins() throws -> PublicOrigins {
        let loopback = TargetURI.loopbackHosts.map {
            "\(tls == nil ? "http" : "https")://\($0)\(port == (tls == nil ? 80 : 443) ? "" : ":\(port)")"
        }
        do {
            return try PublicOrigins(publicURL: publicURL ?? loopback[0], aliases: isDevelopment ? loopback : [])
        } catch {
            guard case .invalidField(_, let problem) = error else { throw error }
            throw settings.error(.publicUrl, problem)
        }
    }

    /// Which hosts hooks and webhooks may call. Development mode allows http and the loopback, because hooks then
    /// usually run on the same machine without a certificate.
    var egressPolicy: EgressPolicy {
        EgressPolicy(
            allowsPlainHTTP: isDevelopment, allowedNetworks: egressNetworks + (isDevelopment ? IPNetwork.loopback : []),
            additionalTrustRoots: egressTrustRoots)
    }

    /// Returns a client for outbound calls with these settings.
    func makeEgressClient(observer: any ServiceObserver = NoObserver()) throws -> EgressClient {
        do {
            return try EgressClient(policy: egressPolicy, observer: observer)
        } catch .unreadableTrustRoots(let path) {
            throw settings.error(.egressTrustRoots, Self.problem(ofTrustRoots: path))
        }
    }

    /// Why the certificates of a file cannot be used.
    private static func problem(ofTrustRoots path: String) -> String {
        do {
            let content = try ReadableFile(path: path).read().content
            if content.isUTF16 { return "\(path) is UTF-16. Save it as ASCII or UTF-8" }
            let hasMark = content.withoutByteOrderMark.count < content.count
            return hasMark
                ? "\(path) begins with a byte order mark. Save it without"
                : "\(path) has no certificate in PEM format (-----BEGIN CERTIFICATE-----)"
        } catch {
            return error.problem(of: path, ifMissing: "Name a file in PEM format")
        }
    }

    /// Makes the routes for messages. Mail servers obey the same rules for addresses as hooks.
    func routeBuilder(egress: any Egress, environment: ServiceEnvironment) -> RouteBuilder {
        RouteBuilder(
            RouteDependencies(
                egress: egress, pinning: HostPinning(policy: egressPolicy), trustRoots: egressTrustRoots,
                environment: environment))
    }
}

extension ServiceConfiguration {
    /// Where the management API has its own listener.
    struct ManagementListener: Sendable {
        var host: String
        var port: Int
    }

    /// - Returns: `nil` without `management-port`: then one listener serves both APIs.
    static func managementListener(_ settings: Settings, publicPort: Int) throws -> ManagementListener? {
        let host = settings.string(.managementHost)
        guard let port = try settings.number(.managementPort) else {
            guard host == nil else {
                throw settings.error(.managementHost, "needs a management-port")
            }
            return nil
        }
        guard port != publicPort else {
            throw settings.error(.managementPort, "must differ from the port of the apps, \(publicPort)")
        }
        return ManagementListener(host: settings.text(.managementHost), port: port)
    }
}

extension ServiceConfiguration {
    /// Reads the keys of the setting, or those of its file: one in a line.
    static func managementKeys(_ settings: Settings) throws -> [String] {
        guard try settings.prefers(.managementKeyFile, to: .managementKey) else {
            let keys = settings.list(.managementKey)
            // An empty variable is one that is not set, for `docker compose` and others.
            guard !keys.isEmpty || settings.string(.managementKey) ?? "" == "" else {
                throw settings.error(.managementKey, "contains no key. Remove the setting, or name one")
            }
            return keys
        }
        return try settings.content(of: .managementKeyFile, lines: 100)?
            .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) } ?? []
    }

    /// Returns the configured keys of the management API.
    ///
    /// - Throws: `ConfigurationError` for a key that can be guessed, and for a key that occurs twice.
    func checkedManagementKeys(now: Timestamp) throws -> [ConfiguredManagementKey] {
        guard Set(managementKeys).count == managementKeys.count else {
            throw settings.error(keysSetting, "contains a key twice. Remove one of them")
        }
        return try managementKeys.enumerated().map { index, secret in
            if let problem = ChosenSecret(secret).problem {
                throw settings.error(keysSetting, "key \(index + 1) \(problem)")
            }
            return ConfiguredManagementKey(secret: secret, now: now)
        }
    }

    private var keysSetting: Key {
        (try? settings.prefers(.managementKeyFile, to: .managementKey)) == true ? .managementKeyFile : .managementKey
    }
}

extension ServiceConfiguration {
    /// Checks the requirements of key rotation.
    func checkRotating() throws {
        let safe = KeyRotationPolicy.safePublishAhead
        guard keyRotation.publishAhead >= safe || isDevelopment else {
            throw settings.error(
                .keyPublishAhead,
                "must be at least \(safe) seconds outside development mode (--development or "
                    + "PRELUDE_SESSION_DEVELOPMENT=true), because verifiers may use an older key set for so long")
        }
    }
}
