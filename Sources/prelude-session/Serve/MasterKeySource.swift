import Foundation
import SessionDomain
import SessionSQLite

/// Where the master keys are. Exactly one place counts, and nothing falls back from one that was named to another.
enum MasterKeySource {
    /// A value of the environment.
    case environment(String)
    /// A credential that systemd handed over.
    case credential(path: String)
    /// A file that was named, or the one beside the database.
    case file(KeyFile)

    static let variable = "PRELUDE_SESSION_MASTER_KEYS"
    static let credentialName = "prelude-session-keys"

    /// What was named comes first, then a credential of systemd, then the file beside the database; `nil` for a database
    /// in memory.
    ///
    /// - Throws: When two places were named: to ignore a secret silently is to sign with the wrong one.
    static func find(
        for configuration: ServiceConfiguration, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> MasterKeySource? {
        guard case .file(let database) = configuration.database else { return nil }
        if let value = environment[variable] {
            guard configuration.keyFile == nil else {
                throw ConfigurationError("key-file", "is set, and so is \(variable): take one of them away")
            }
            return .environment(value)
        }
        if configuration.keyFile == nil, let directory = environment["CREDENTIALS_DIRECTORY"] {
            let path = directory + "/" + credentialName
            if FileManager.default.fileExists(atPath: path) { return .credential(path: path) }
        }
        return .file(KeyFile(configured: configuration.keyFile, database: database))
    }

    /// How operators know it.
    var name: String {
        switch self {
        case .environment: Self.variable
        case .credential(let path): path
        case .file(let file): file.path
        }
    }

    /// The keys, or `nil` for a file that is not there yet.
    func read() throws -> KeyRing? {
        switch self {
        case .environment(let value):
            return try MasterKeyText(value, setting: Self.variable, place: "the value").ring()
        case .credential(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ConfigurationError(
                    Self.credentialName, "\(path) cannot be read; check LoadCredential= and the user of the unit")
            }
            return try MasterKeyText(
                String(decoding: data, as: UTF8.self), setting: Self.credentialName, place: path
            ).ring()
        case .file(let file):
            return file.exists ? try file.read() : nil
        }
    }
}
