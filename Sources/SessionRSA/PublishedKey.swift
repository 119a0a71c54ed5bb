internal import Foundation
internal import SessionTokens

/// A JWK with a `kid` whose optional members allow it to verify signatures (RFC 7517 §4).
struct PublishedKey: Decodable {
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
