internal import Foundation

/// A JWK Set (RFC 7517 §5) of signature keys, found by `kid`.
package struct JWKSet: Sendable, Equatable {
    package let keys: [PublicJWK]

    package init(keys: [PublicJWK]) {
        self.keys = keys
    }

    /// The key with exactly this `kid`; there is no default key to fall back to.
    package func key(id: String) -> PublicJWK? {
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

extension PublicJWK {
    /// What a set shows of a key: the required members, and what it is for (RFC 7517 §4).
    package var publishedMembers: [String: String] {
        requiredMembers.merging(["kid": thumbprint, "alg": algorithm.rawValue, "use": "sig"]) { first, _ in first }
    }
}
