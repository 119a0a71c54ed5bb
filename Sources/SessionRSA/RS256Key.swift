internal import Foundation
internal import SessionTokens

/// A JWK that says of itself, as far as it says anything, that it verifies RS256 (RFC 7517 §4, RFC 7518 §6.3.1).
struct RS256Key: Decodable {
    let id: String
    let publicKey: RSAPublicKey

    private enum Member: String, CodingKey {
        case kty, kid, use, alg, n, e
        case operations = "key_ops"
        case d, p, q, dp, dq, qi, oth, k
    }

    private static let privateMembers: [Member] = [.d, .p, .q, .dp, .dq, .qi, .oth, .k]
    private static let maximumIDLength = 256

    /// - Throws: Something, for a key to be skipped; nobody asks why.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        id = try members.decode(String.self, forKey: .kid)
        // Whoever publishes a private key has lost it.
        guard !Self.privateMembers.contains(where: members.contains),
            (1...Self.maximumIDLength).contains(id.utf8.count),
            try members.decode(String.self, forKey: .kty) == "RSA",
            try members.decodeIfPresent(String.self, forKey: .use) ?? "sig" == "sig",
            try members.decodeIfPresent(String.self, forKey: .alg) ?? "RS256" == "RS256",
            try members.decodeIfPresent([String].self, forKey: .operations)?.contains("verify") ?? true,
            let modulus = Base64URL.decode(try members.decode(String.self, forKey: .n)),
            let exponent = Base64URL.decode(try members.decode(String.self, forKey: .e))
        else { throw RSAKeyError.unusable }
        publicKey = try RSAPublicKey(modulus: modulus, exponent: exponent)
    }
}
