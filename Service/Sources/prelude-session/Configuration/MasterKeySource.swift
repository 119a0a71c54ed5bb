import Foundation
import SessionDomain
import SessionSQLite
import SessionTokens

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

/// The text format of master keys: the JSON of a key file, or base64url values separated by commas or line breaks. The
/// first key is the current one.
struct MasterKeyFormat {
    private struct Content: Codable {
        struct Key: Codable { let secret: String }
        let version: Int
        let keys: [Key]
    }

    /// The name of the setting, for errors.
    let setting: String
    /// The place of the text, for errors.
    let place: String

    /// - Throws: `ConfigurationError` when the text is not a key file, or a key is invalid, missing or repeated.
    func decode(_ text: String) throws -> [MasterKey] {
        let keys = try secrets(in: text).enumerated().map { index, text in
            guard let secret = Base64URL.decode(text), secret.count == 32 else {
                throw ConfigurationError(
                    setting,
                    "key \(index + 1) of \(place) is not 32 bytes in base64url without padding. "
                        + "Make one with: openssl rand 32 | basenc --base64url | tr -d =")
            }
            return MasterKey(secret: secret)
        }
        guard !keys.isEmpty else {
            throw ConfigurationError(setting, "\(place) contains no key. Restore it from your backup")
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw ConfigurationError(setting, "\(place) contains a key twice. Remove one of them")
        }
        return keys
    }

    /// - Throws: As `decode(_:)` of a text; `ConfigurationError` for another encoding than UTF-8.
    func decode(_ content: Data) throws -> [MasterKey] {
        guard let text = String(textFile: content) else {
            throw ConfigurationError(setting, "\(place) is not UTF-8. Save it with this encoding")
        }
        return try decode(text)
    }

    private func secrets(in text: String) throws -> [String] {
        guard text.first(where: { !$0.isWhitespace }) == "{" else {
            return text.split { $0 == "," || $0.isWhitespace }.map { String($0) }
        }
        guard let content = try? TokenJSON.decode(Content.self, from: Data(text.utf8)), content.version == 1 else {
            throw ConfigurationError(setting, "\(place) is not a key file of this version")
        }
        return content.keys.map(\.secret)
    }

    /// Returns the JSON of a key file, with the current key first.
    static func encode(_ keys: [MasterKey]) throws -> Data {
        try TokenJSON.encode(
            Content(version: 1, keys: keys.map { .init(secret: Base64URL.encode($0.secret)) }), isPretty: true)
    }
}

/// Whether a command uses the master keys. Most commands only read and change rows, so they work without access to the
/// keys.
enum MasterKeyUse {
    case none
    /// The command reads or creates signing keys.
    case needed
    /// The command replaces what keys that are lost have sealed.
    case replacing
}

/// The file with the master keys. It is created at the first start, and only its owner can read it.
struct KeyFile {
    let path: String

    init(path: String) { self.path = path }

    /// The file of an embedded database whose settings name no other one: its path with the suffix `.keys`.
    init(besideDatabase path: String) { self.path = path + ".keys" }

    /// Returns `nil` if the file does not exist.
    func read() throws -> [MasterKey]? {
        let file: (content: Data, permissions: Int)
        do {
            file = try ReadableFile(path: path).read()
        } catch .missing {
            return nil
        } catch {
            throw ConfigurationError("key-file", error.problem(of: path, ifMissing: ""))
        }
        guard file.permissions & 0o077 == 0 else {
            throw ConfigurationError("key-file", "other users can read \(path). Run: chmod 600 \(path)")
        }
        return try MasterKeyFormat(setting: "key-file", place: path).decode(file.content)
    }

    /// Creates the file with a new random key. Never replaces an existing file, which would end every session.
    func create(environment: ServiceEnvironment) throws -> [MasterKey] {
        let keys = [MasterKey(secret: Data(environment.randomBytes(32)))]
        do {
            try DurableFile.create(path, try MasterKeyFormat.encode(keys), owner: FileOwner(beside: path))
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("key-file", reason)
        }
        return keys
    }
}
