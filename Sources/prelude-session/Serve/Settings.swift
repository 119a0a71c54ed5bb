import Configuration
import Foundation
import SessionDomain
import SystemPackage

/// Reads typed settings. A value of the wrong type is an error, and the default is not used.
@available(service, *)
struct Settings {
    typealias Key = ServiceConfiguration.Key

    /// Where a setting comes from.
    enum Source: Sendable {
        case flag, environment
        case file(String)
        /// No source sets it: the default is used.
        case `default`
    }

    /// In order of precedence, the strongest first.
    private let readers: [(source: Source, reader: ConfigReader)]

    /// - Parameter file: The path of a file with a JSON object.
    init(flags: [Key: String], environment: [String: String], file: String?) async throws {
        let flags = flags.map { key, value in
            (AbsoluteConfigKey([key.rawValue]), ConfigValue(.string(value), isSecret: false))
        }
        let prefix = ServiceConfiguration.environmentPrefix
        let variables = environment.filter { $0.key.hasPrefix(prefix) }
            .map { (String($0.key.dropFirst(prefix.count)), $0.value) }
        let provided = InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: flags))
        let inherited = EnvironmentVariablesProvider(
            environmentVariables: Dictionary(uniqueKeysWithValues: variables))
        var readers: [(source: Source, reader: ConfigReader)] = [
            (.flag, ConfigReader(provider: provided)), (.environment, ConfigReader(provider: inherited)),
        ]
        if let file {
            try Self.check(file: file)
            let provider = try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
            readers.append((.file(file), ConfigReader(provider: provider)))
        }
        self.readers = readers
    }

    /// Rejects unknown names in the file: a misspelled setting would be ignored, and its default used.
    private static func check(file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ConfigurationError("config", "cannot read \(file)")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw ConfigurationError("config", "\(file) must hold one JSON object")
        }
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            guard let key = Key(rawValue: name) else {
                throw ConfigurationError("config", "\(file) has an unknown setting \(name)")
            }
            // The provider would ignore other types, and the default would be used.
            guard value is String || value is NSNumber || (key.isList && value is [String]) else {
                throw ConfigurationError(
                    key.flag, "in \(file) must be a string, a number, true or false" + (key.isList ? ", or a list" : "")
                )
            }
        }
    }

    func source(of key: Key) -> Source {
        readers.first { Self.text(key, $0.reader) != nil }?.source ?? .default
    }

    func string(_ key: Key) -> String? {
        readers.lazy.compactMap { Self.text(key, $0.reader) }.first
    }

    private static func text(_ key: Key, _ reader: ConfigReader) -> String? {
        let name = ConfigKey([key.rawValue])
        let isSecret = key.isSecret
        if let text = reader.string(forKey: name, isSecret: isSecret) { return text }
        if let number = reader.int(forKey: name, isSecret: isSecret) { return String(number) }
        return reader.bool(forKey: name, isSecret: isSecret).map { String($0) }
    }

    func number(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = string(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ConfigurationError(key.flag, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ key: Key) throws -> Bool {
        switch string(key)?.lowercased() {
        case nil, "false", "0", "no": return false
        case "true", "1", "yes": return true
        default: throw ConfigurationError(key.flag, "must be true or false")
        }
    }

    func networks(_ key: Key, flag: String) throws -> [IPNetwork] {
        try list(key).map { text in
            guard let network = IPNetwork(text) else {
                throw ConfigurationError(flag, "\(text) is not an address or a network, such as 10.0.0.0/8")
            }
            return network
        }
    }

    /// Reads a list: of the file an array, or a text with commas.
    func list(_ key: Key) -> [String] {
        let items = readers.lazy.compactMap { _, reader in
            Self.text(key, reader).map { $0.split(separator: ",").map(String.init) }
                ?? reader.stringArray(forKey: ConfigKey([key.rawValue]), isSecret: key == .managementKey)
        }
        return (items.first ?? []).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
