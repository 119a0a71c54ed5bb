import Foundation
import SessionDomain
import SessionSQLite

/// The place of the master keys. Exactly one place is used; there is no fallback to another one.
enum MasterKeySource {
    /// The value of the environment variable.
    case environment(String)
    /// The path of a credential from systemd.
    case credential(path: String)
    /// The configured file, or the default one beside the database.
    case file(KeyFile)

    static let variable = "PRELUDE_SESSION_MASTER_KEYS"
    static let credentialName = "prelude-session-keys"

    /// Finds the place: a configured one, else a credential of systemd, else the file beside an embedded database.
    ///
    /// - Returns: `nil` for a database in memory.
    /// - Throws: `ConfigurationError` when two places are configured, because the service must not sign with the wrong keys, or
    ///   none beside PostgreSQL.
    static func find(
        for configuration: ServiceConfiguration, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> MasterKeySource? {
        if case .memory = configuration.database { return nil }
        if let value = environment[variable] {
            guard configuration.keyFile == nil else {
                throw ConfigurationError("key-file", "is set, and \(variable), too. Remove one of them")
            }
            return .environment(value)
        }
        if configuration.keyFile == nil, let directory = environment["CREDENTIALS_DIRECTORY"] {
            let path = directory + "/" + credentialName
            if FileManager.default.fileExists(atPath: path) { return .credential(path: path) }
        }
        if let path = configuration.keyFile { return .file(KeyFile(path: path)) }
        guard case .file(let database) = configuration.database else {
            throw ConfigurationError(
                "key-file",
                "is required with PostgreSQL: all nodes need the same master keys. Name their file, or set \(variable)")
        }
        return .file(KeyFile(besideDatabase: database))
    }

    /// The name for operators.
    var name: String {
        switch self {
        case .environment: Self.variable
        case .credential(let path): path
        case .file(let file): file.path
        }
    }

    /// Reads the keys, the current one first. Returns `nil` if the file does not exist.
    func read() throws -> [MasterKey]? {
        switch self {
        case .environment(let value):
            return try MasterKeyFormat(setting: Self.variable, place: "the value").decode(value)
        case .credential(let path):
            let content: Data
            do {
                content = try ReadableFile(path: path).read().content
            } catch {
                throw ConfigurationError(
                    Self.credentialName,
                    error.problem(of: path, ifMissing: "") + ". Check LoadCredential= and the user of the unit")
            }
            return try MasterKeyFormat(setting: Self.credentialName, place: path).decode(content)
        case .file(let file):
            return try file.read()
        }
    }

    /// The error if the database has apps, and there are no keys.
    var isMissing: ConfigurationError {
        ConfigurationError(
            "key-file",
            "\(name) is missing, and the database has apps. If the master keys are somewhere else, name "
                + "the place with --key-file or \(Self.variable). Otherwise restore the file from your backup")
    }

    /// The error if signing keys in the database are sealed with other keys.
    ///
    /// - Parameter ids: The ids of the missing keys.
    func lacks(_ ids: Set<String>) -> ConfigurationError {
        ConfigurationError(
            "master keys",
            "\(name) lacks \(ids.sorted().joined(separator: ", ")), and stored keys or secrets are sealed with it. "
                + "Add this master key again, or restore the keys of this database from your backup")
    }
}
