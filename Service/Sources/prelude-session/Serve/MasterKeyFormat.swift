import Foundation
import SessionDomain
import SessionTokens

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
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)), content.version == 1 else {
            throw ConfigurationError(setting, "\(place) is not a key file of this version")
        }
        return content.keys.map(\.secret)
    }

    /// Returns the JSON of a key file, with the current key first.
    static func encode(_ keys: [MasterKey]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(Content(version: 1, keys: keys.map { .init(secret: Base64URL.encode($0.secret)) }))
    }
}
