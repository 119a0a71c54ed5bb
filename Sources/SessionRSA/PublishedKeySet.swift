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

/// A JWK with a `kid` whose optional members allow it to verify signatures (RFC 7517 §4).
private struct PublishedKey: Decodable {
    let id: String
    let key: any VerificationKey

    private enum Member: String, CodingKey {
        case kty, kid, use, alg, n, e
        case operations = "key_ops"
        case d, p, q, dp, dq, qi, oth, k
    }

    private static let privateMembers: [Member] = [.d, .p, .q, .dp, .dq, .qi, .oth, .k]
    private static let maximumIDLength = 256

    /// - Throws: Any error. `PublishedKeySet` skips the key and ignores the reason.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        id = try members.decode(String.self, forKey: .kid)
        // Skip a key whose private members are published: it is compromised.
        guard !Self.privateMembers.contains(where: members.contains),
            (1...Self.maximumIDLength).contains(id.utf8.count),
            try members.decodeIfPresent(String.self, forKey: .use) ?? "sig" == "sig",
            try members.decodeIfPresent([String].self, forKey: .operations)?.contains("verify") ?? true
        else { throw PublishedKeyError.unusable }
        key =
            try members.decode(String.self, forKey: .kty) == "RSA"
            ? try Self.rsa(members) : try PublicJWK(from: decoder)
        // A key has one algorithm. A different `alg` means a different use (RFC 8725 §3.1). Ed25519 has two names.
        if let name = try members.decodeIfPresent(String.self, forKey: .alg) {
            guard SignatureAlgorithm(rawValue: name)?.spelledClassically == key.algorithm else {
                throw PublishedKeyError.unusable
            }
        }
    }

    /// RFC 7518 §6.3.1.
    private static func rsa(_ members: KeyedDecodingContainer<Member>) throws -> RS256PublicKey {
        guard let modulus = Base64URL.decode(try members.decode(String.self, forKey: .n)),
            let exponent = Base64URL.decode(try members.decode(String.self, forKey: .e))
        else { throw PublishedKeyError.unusable }
        return RS256PublicKey(try RSAPublicKey(modulus: modulus, exponent: exponent))
    }
}

private enum PublishedKeyError: Error {
    case unusable
}

extension VerifiedToken {
    /// Verifies a token with the keys of the set.
    ///
    /// - Throws: `JWSError.unknownKey` if the set does not contain the `kid`: fetch the set again. On any other error,
    ///   reject the token.
    public init(verifying token: String, keys: PublishedKeySet) throws(JWSError) {
        let jws = try CompactJWS(parsing: token)
        guard keys.algorithms.contains(jws.algorithm) else { throw .unsupportedAlgorithm }
        guard let keyID = jws.header.kid else { throw .malformed }
        guard let key = keys.key(id: keyID) else { throw .unknownKey }
        try self.init(jws, key: key)
    }
}
