package import Foundation
package import SessionTokens

/// Somebody's JWK Set (RFC 7517 §5), of which the keys are kept that may verify one of the given algorithms.
///
/// A key that is no good for that is skipped: it must not break the others (RFC 7517 §5). Of two usable keys with one
/// `kid` the first counts, so that nothing appended to a set takes the place of what was there.
package struct PublishedKeySet: VerificationKeySet {
    /// A set with more entries than this, usable or not, is refused.
    package static let maximumKeys = 100

    /// What tokens may be signed with: the reader's list, not the set's (RFC 8725 §3.1).
    package let algorithms: Set<SignatureAlgorithm>
    private let keys: [String: any VerificationKey]

    /// Reads a set, strictly as JSON and leniently key by key.
    ///
    /// - Throws: `KeySetError`, for a document that is no JWK Set.
    package init(json: Data, algorithms: Set<SignatureAlgorithm>) throws(KeySetError) {
        let document: Document
        do {
            document = try TokenJSON.decode(Document.self, from: json)
        } catch {
            throw .malformed
        }
        guard document.keys.count <= Self.maximumKeys else { throw .tooManyKeys }
        self.algorithms = algorithms
        let usable = document.keys.compactMap(\.usable).filter { algorithms.contains($0.key.algorithm) }
        keys = Dictionary(usable.map { ($0.id, $0.key) }) { first, _ in first }
    }

    package var count: Int { keys.count }

    package func key(id: String) -> (any VerificationKey)? { keys[id] }

    private struct Document: Decodable {
        let keys: [Entry]
    }

    private struct Entry: Decodable {
        let usable: PublishedKey?

        init(from decoder: any Decoder) throws { usable = try? PublishedKey(from: decoder) }
    }
}

/// Why a JWK Set was refused as a whole.
package enum KeySetError: Error, Equatable {
    /// Not a JSON object with an array `keys`, or one with two readings.
    case malformed
    case tooManyKeys
}
