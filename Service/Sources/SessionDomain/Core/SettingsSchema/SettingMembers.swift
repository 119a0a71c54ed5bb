internal import Foundation
internal import SessionTokens

/// Whose names of settings a decoder or an encoder has.
package enum SettingNames: Sendable {
    /// `code_lifetime`, as in the management API.
    case api
    /// `codeLifetime`, as in the database.
    case stored
}

/// The name of a setting, as it is written.
package struct SettingKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }

    /// `codeLifetime` for `code_lifetime`.
    static func stored(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
    }
}

/// The members of an object that has settings.
struct SettingMembers {
    let container: KeyedDecodingContainer<SettingKey>
    let names: SettingNames
    /// Before the names in refusals: `send_hook.`, or nothing.
    let path: String
    private var storedNames: [String: String] = [:]

    init(container: KeyedDecodingContainer<SettingKey>, names: SettingNames, path: String) {
        self.container = container
        self.names = names
        self.path = path
    }

    /// The same members, of which one is stored by another name.
    func storing(_ name: String, as stored: String) -> SettingMembers {
        var members = self
        members.storedNames[name] = stored
        return members
    }

    private func key(_ name: String) -> SettingKey {
        SettingKey(stringValue: names == .api ? name : storedNames[name] ?? SettingKey.stored(name))
    }

    /// - Returns: `nil` if the member is missing and not required.
    func value<Value: Decodable>(_ type: Value.Type, _ name: String, isRequired: Bool = false) throws -> Value? {
        let key = key(name)
        return isRequired ? try container.decode(type, forKey: key) : try container.decodeIfPresent(type, forKey: key)
    }

    /// The members of an object. `nil` if it is missing.
    func nested(_ name: String) throws -> SettingMembers? {
        let key = key(name)
        guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
        return SettingMembers(
            container: try container.nestedContainer(keyedBy: SettingKey.self, forKey: key), names: names,
            path: "\(path)\(name).")
    }

    func unknownWord(_ name: String, among words: String) -> any Error {
        switch names {
        case .api: Refusal.invalidField(path + name, "must be " + words)
        case .stored:
            DecodingError.dataCorruptedError(forKey: key(name), in: container, debugDescription: "an unknown word")
        }
    }
}

/// The stored form. Settings that are missing in an older record have their defaults.
extension SettingsRecord {
    package init(from decoder: any Decoder) throws {
        self = Self.defaults
        try Self.schema.read(decoder, names: .stored, into: &self)
    }

    package func encode(to encoder: any Encoder) throws { try Self.schema.write(self, to: encoder) }
}

extension DatedSettings {
    package init(from decoder: any Decoder) throws {
        self = Self.defaults
        try read(decoder)
    }

    package func encode(to encoder: any Encoder) throws { try write(to: encoder) }

    func write(to encoder: any Encoder) throws {
        try Self.schema.write(self, to: encoder)
        var stored = encoder.container(keyedBy: TimeKeys.self)
        try stored.encode(createdAt, forKey: .createdAt)
        try stored.encode(updatedAt, forKey: .updatedAt)
    }

    mutating func read(_ decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: TimeKeys.self)
        createdAt = try stored.decode(Timestamp.self, forKey: .createdAt)
        updatedAt = try stored.decode(Timestamp.self, forKey: .updatedAt)
        try Self.schema.read(decoder, names: .stored, into: &self)
    }
}

private enum TimeKeys: CodingKey { case createdAt, updatedAt }

extension SettingsSchema {
    /// Writes all settings by their names in the database.
    func write(_ group: Group, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SettingKey.self)
        for field in fields {
            guard let value = field.json(group) else { continue }
            try container.encode(value.withStoredNames, forKey: SettingKey(stringValue: field.storedName))
        }
    }
}

extension JSONValue {
    fileprivate var withStoredNames: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            Dictionary(uniqueKeysWithValues: members.map { (SettingKey.stored($0.key), $0.value.withStoredNames) }))
    }
}
