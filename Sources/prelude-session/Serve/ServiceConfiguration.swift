import Configuration
import Foundation
import SessionDomain
import SessionHTTP
import SessionSQLite
import SystemPackage

/// What an operator configures. Flags win over the environment, and the environment over the file.
struct ServiceConfiguration: Sendable {
    var host: String
    var port: Int
    var database: SQLiteLocation
    var keyFile: String?
    var publicURL: String?
    var defaultApp: AppID?
    var trustedProxies: [IPNetwork]
    var countryHeader: String?
    var isDevelopment: Bool
    var allowsPublicDevelopment: Bool
    /// Networks that hooks and webhooks may reach although they are private or otherwise special.
    var egressNetworks: [IPNetwork]
    /// A PEM file with authorities that outbound https trusts besides the system's.
    var egressTrustRoots: String?
    var managementKey: String?
    /// When signing keys change.
    var keyRotation: KeyRotationPolicy
    var logLevel: String

    /// The settings' names as in the file; `PRELUDE_SESSION_` and upper snake case in the environment.
    enum Key: String, CaseIterable {
        case host, port, database, keyFile, publicUrl, defaultApp, trustedProxies, countryHeader, development
        case allowPublicDevelopment, egressNetworks, egressTrustRoots, managementKey, logLevel
        case keyRotationDays, keyPublishAhead

        var flag: String {
            rawValue.reduce(into: "") { flag, character in
                flag += character.isUppercase ? "-" + character.lowercased() : String(character)
            }
        }
    }

    static let environmentPrefix = "PRELUDE_SESSION_"

    /// - Parameters:
    ///   - flags: What was said on the command line.
    ///   - environment: The process's variables.
    ///   - file: A JSON object with the settings; `nil` for none.
    static func load(flags: [Key: String], environment: [String: String], file: String?) async throws -> Self {
        var providers = providers(flags: flags, environment: environment)
        if let file {
            try checkNames(inFile: file)
            providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
        }
        return try ServiceConfiguration(Settings(reader: ConfigReader(providers: providers)))
    }

    /// When signing keys change, for a command beside the service that has no other settings.
    static func keyRotation(flags: [Key: String], environment: [String: String]) async throws -> KeyRotationPolicy {
        let reader = ConfigReader(providers: providers(flags: flags, environment: environment))
        return try Settings(reader: reader).keyRotation()
    }

    private static func providers(flags: [Key: String], environment: [String: String]) -> [any ConfigProvider] {
        [
            InMemoryProvider(
                name: "flags",
                values: Dictionary(
                    uniqueKeysWithValues: flags.map { key, value in
                        (AbsoluteConfigKey([key.rawValue]), ConfigValue(.string(value), isSecret: false))
                    })),
            EnvironmentVariablesProvider(
                environmentVariables: Dictionary(
                    uniqueKeysWithValues: environment.filter { $0.key.hasPrefix(environmentPrefix) }
                        .map { (String($0.key.dropFirst(environmentPrefix.count)), $0.value) })),
        ]
    }

    /// A name nobody knows is a typing error, and the setting that was meant would silently keep its default.
    private static func checkNames(inFile file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ConfigurationError("config", "cannot read \(file)")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw ConfigurationError("config", "\(file) must hold one JSON object")
        }
        for name in object.keys.sorted() where Key(rawValue: name) == nil {
            throw ConfigurationError("config", "\(file) has an unknown setting \(name)")
        }
    }

    private init(_ settings: Settings) throws {
        host = settings.string(.host) ?? "127.0.0.1"
        port = try settings.number(.port, in: 1...65535) ?? 8080
        database = try SQLiteLocation(configured: settings.string(.database) ?? "sqlite:prelude-session.sqlite")
        keyFile = settings.string(.keyFile)
        publicURL = settings.string(.publicUrl)
        isDevelopment = try settings.flag(.development)
        allowsPublicDevelopment = try settings.flag(.allowPublicDevelopment)
        countryHeader = settings.string(.countryHeader)
        managementKey = settings.string(.managementKey)
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
        keyRotation = try settings.keyRotation()
        try check()
    }

    private func check() throws {
        let isLoopback = host == "localhost" || IPNetwork.loopback(contains: host)
        if isDevelopment && !isLoopback && !allowsPublicDevelopment {
            throw ConfigurationError(
                "host",
                "\(host) is reachable by others, and development mode shows every code to everybody. "
                    + "Use 127.0.0.1, or add --allow-public-development if you mean it")
        }
        if !isDevelopment && publicURL == nil {
            throw ConfigurationError(
                "public-url", "is required: the origin under which apps reach the service, with or without {app_id}")
        }
        if !isDevelopment, let publicURL, !publicURL.hasPrefix("https://") {
            throw ConfigurationError("public-url", "must begin with https:// outside development mode")
        }
    }
}

/// A setting that cannot be used.
struct ConfigurationError: Error, CustomStringConvertible {
    let setting: String
    let problem: String

    init(_ setting: String, _ problem: String) {
        self.setting = setting
        self.problem = problem
    }

    var description: String { "\(setting): \(problem)" }
}

/// Typed reads; a value of the wrong kind is an error and never the default.
private struct Settings {
    let reader: ConfigReader

    func string(_ key: ServiceConfiguration.Key) -> String? {
        let name = ConfigKey([key.rawValue])
        let isSecret = key == .managementKey
        if let text = reader.string(forKey: name, isSecret: isSecret) { return text }
        if let number = reader.int(forKey: name, isSecret: isSecret) { return String(number) }
        return reader.bool(forKey: name, isSecret: isSecret).map { String($0) }
    }

    func number(_ key: ServiceConfiguration.Key, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = string(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ConfigurationError(key.flag, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ key: ServiceConfiguration.Key) throws -> Bool {
        switch string(key)?.lowercased() {
        case nil, "false", "0", "no": return false
        case "true", "1", "yes": return true
        default: throw ConfigurationError(key.flag, "must be true or false")
        }
    }

    func networks(_ key: ServiceConfiguration.Key, flag: String) throws -> [IPNetwork] {
        try list(key).map { text in
            guard let network = IPNetwork(text) else {
                throw ConfigurationError(flag, "\(text) is no address or network, such as 10.0.0.0/8")
            }
            return network
        }
    }

    func keyRotation() throws -> KeyRotationPolicy {
        try ServiceConfiguration.keyRotation(
            days: try number(.keyRotationDays, in: 0...3650),
            publishAhead: try number(.keyPublishAhead, in: AppDirectory.lifetime + 1...86_400),
            isDevelopment: try flag(.development))
    }

    private func list(_ key: ServiceConfiguration.Key) -> [String] {
        let name = ConfigKey([key.rawValue])
        let items = string(key).map { $0.split(separator: ",").map(String.init) } ?? reader.stringArray(forKey: name)
        return (items ?? []).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
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
