package import Foundation
internal import SessionTokens

/// A foreign JWK Set (RFC 7517 §5), of which the RSA keys that may verify RS256 are kept.
///
/// A key that is no good for that is skipped: it must not break the others (RFC 7517 §5). Of two usable keys with one
/// `kid` the first counts, so that nothing appended to a set takes the place of what was there.
package struct RSAKeySet: Sendable {
    /// A set with more entries than this, usable or not, is refused.
    package static let maximumKeys = 100

    private let keys: [String: RSAPublicKey]

    /// Reads a set, strictly as JSON and leniently key by key.
    ///
    /// - Throws: `RSAKeySetError`, for a document that is no JWK Set.
    package init(json: Data) throws(RSAKeySetError) {
        let document: Document
        do {
            document = try TokenJSON.decode(Document.self, from: json)
        } catch {
            throw .malformed
        }
        guard document.keys.count <= Self.maximumKeys else { throw .tooManyKeys }
        keys = Dictionary(document.keys.compactMap(\.usable).map { ($0.id, $0.publicKey) }) { first, _ in first }
    }

    package var count: Int { keys.count }

    /// The key with exactly this `kid`; there is no default key to fall back to.
    package func key(id: String) -> RSAPublicKey? { keys[id] }

    private struct Document: Decodable {
        let keys: [Entry]
    }

    private struct Entry: Decodable {
        let usable: RS256Key?

        init(from decoder: any Decoder) throws { usable = try? RS256Key(from: decoder) }
    }
}

/// Why a JWK Set was refused as a whole.
package enum RSAKeySetError: Error, Equatable {
    /// Not a JSON object with an array `keys`, or one with two readings.
    case malformed
    case tooManyKeys
}
