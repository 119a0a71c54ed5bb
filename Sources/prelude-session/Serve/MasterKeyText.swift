import Foundation
import SessionDomain
import SessionTokens

/// Master keys as text: the JSON of a key file, or base64url values with commas or line breaks between them. The first
/// is the current one.
struct MasterKeyText {
    private struct Content: Codable {
        struct Key: Codable { let secret: String }
        let version: Int
        let keys: [Key]
    }

    private let secrets: [String]
    private let setting: String
    private let place: String

    /// - Parameters:
    ///   - setting: The name under which the operator knows what is wrong.
    ///   - place: Where the text stands.
    init(_ text: String, setting: String, place: String) throws {
        self.setting = setting
        self.place = place
        guard text.first(where: { !$0.isWhitespace }) == "{" else {
            secrets = text.split { $0 == "," || $0.isWhitespace }.map { String($0) }
            return
        }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)), content.version == 1 else {
            throw ConfigurationError(setting, "\(place) is not a key file of this version")
        }
        secrets = content.keys.map(\.secret)
    }

    func ring() throws -> KeyRing {
        let keys = try secrets.enumerated().map { index, text in
            guard let secret = Base64URL.decode(text), secret.count == 32 else {
                throw ConfigurationError(
                    setting,
                    "key \(index + 1) of \(place) is not 32 bytes in base64url without padding; "
                        + "make one with: openssl rand 32 | basenc --base64url | tr -d =")
            }
            return MasterKey(secret: secret)
        }
        guard let current = keys.first else {
            throw ConfigurationError(setting, "\(place) holds no key; restore it from your backup")
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw ConfigurationError(setting, "\(place) holds a key twice; take one of them away")
        }
        return KeyRing(current: current, older: Array(keys.dropFirst()))
    }

    /// The text of a key file with one key.
    static func json(_ secret: Data) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(Content(version: 1, keys: [.init(secret: Base64URL.encode(secret))]))
    }
}
