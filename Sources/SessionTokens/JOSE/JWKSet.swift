internal import Foundation

/// A JWK Set (RFC 7517 §5) of signature keys, found by `kid`.
package struct JWKSet: VerificationKeySet, Equatable {
    package let keys: [PublicJWK]

    package init(keys: [PublicJWK]) {
        self.keys = keys
    }

    package func key(id: String) -> (any VerificationKey)? {
        keys.first { $0.thumbprint == id }
    }
}

extension JWKSet: Codable {
    /// Skips a key it cannot use: one key of an unknown kind must not break the whole set (RFC 7517 §5).
    private struct Tolerant: Decodable {
        let key: PublicJWK?
        init(from decoder: any Decoder) throws { key = try? PublicJWK(from: decoder) }
    }

    private enum CodingKeys: CodingKey { case keys }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        keys = try container.decode([Tolerant].self, forKey: .keys).compactMap(\.key)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keys.map(\.publishedMembers), forKey: .keys)
    }
}
