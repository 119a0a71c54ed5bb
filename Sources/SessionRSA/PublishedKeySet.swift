public import Foundation
public import SessionTokens

/// A JWK Set of another system (RFC 7517 §5). It keeps only keys that can verify one of the given algorithms.
///
/// Other keys are skipped, so that they do not make the set unusable (RFC 7517 §5). Of two usable keys with the same `kid`,
/// the first is kept, so that an appended key cannot replace an existing one.
public struct PublishedKeySet: VerificationKeySet {
    /// The maximum number of entries of a set, usable or not. A larger set is rejected.
    public static let maximumKeys = 100

    /// The allowed signature algorithms. The verifier chooses them, not the set (RFC 8725 §3.1).
    public let algorithms: Set<SignatureAlgorithm>
    /// By the bytes of `kid`: equal strings can have different bytes.
    private let keys: [[UInt8]: any VerificationKey]

    /// Reads a set. The JSON must be strict; single keys that are not usable are skipped.
    ///
    /// - Throws: `KeySetError` if the document is not a JWK Set.
    public init(json: Data, algorithms: Set<SignatureAlgorithm>) throws(KeySetError) {
        let document: Document
        do {
            document = try TokenJSON.decode(Document.self, from: json)
        } catch {
            throw .malformed
        }
        guard document.keys.count <= Self.maximumKeys else { throw .tooManyKeys }
        self.algorithms = algorithms
        let usable = document.keys.compactMap(\.usable).filter { algorithms.contains($0.key.algorithm) }
        keys = Dictionary(usable.map { (Array($0.id.utf8), $0.key) }) { first, _ in first }
    }

    public var count: Int { keys.count }

    public func key(id: String) -> (any VerificationKey)? { keys[Array(id.utf8)] }

    private struct Document: Decodable {
        let keys: [Entry]
    }

    private struct Entry: Decodable {
        let usable: PublishedKey?

        init(from decoder: any Decoder) throws { usable = try? PublishedKey(from: decoder) }
    }
}

/// Why a JWK Set was rejected as a whole.
public enum KeySetError: Error, Equatable {
    /// The document is not a JSON object with an array `keys`, or it repeats a member.
    case malformed
    case tooManyKeys
    /// The set is empty, or has only keys that cannot verify one of the given algorithms.
    case noUsableKey
}
