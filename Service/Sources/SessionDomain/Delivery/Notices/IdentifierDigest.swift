internal import Crypto
internal import Foundation
internal import SessionTokens

/// SHA-256 of an identifier in its canonical form. A challenge token names the identifier that a login proved by it, so the
/// token contains no address.
package struct IdentifierDigest: Sendable, Equatable, Codable {
    let text: String

    package init(_ identifier: CanonicalIdentifier) {
        text = Base64URL.encode(SHA256.hash(data: Data(identifier.key.utf8)))
    }

    /// - Parameter text: The digest, as `text` has it.
    init(text: String) { self.text = text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
