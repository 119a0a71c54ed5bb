public import Foundation
internal import SessionRSA
public import SessionTokens

/// An encoding of a public key that an attacker may use as the secret of a MAC (RFC 8725 §2.1).
public enum PublicKeyEncoding: String, Sendable, CaseIterable {
    /// The key bytes: 32 bytes of Ed25519, the uncompressed point of P-256, the modulus of RSA.
    case raw = "raw bytes"
    /// The JSON of the JWK, as in a key set or a header.
    case jwk = "JWK"
    /// `SubjectPublicKeyInfo` (RFC 5280 §4.1.2.7).
    case der = "DER"
    /// `SubjectPublicKeyInfo` as text (RFC 7468 §13).
    case pem = "PEM"

    /// - Parameter members: The members of the JWK, as published.
    public func bytes(of members: [String: String]) throws -> Data {
        switch self {
        case .raw: Self.raw(members)
        case .jwk: try TokenJSON.encode(members)
        case .der: Self.info(members)
        case .pem: Data(Self.pem(Self.info(members)).utf8)
        }
    }

    private static func member(_ name: String, of members: [String: String]) -> Data {
        members[name].flatMap { Base64URL.decode($0) } ?? Data()
    }

    private static func raw(_ members: [String: String]) -> Data {
        switch members["kty"] {
        case "EC": [4] + member("x", of: members) + member("y", of: members)
        case "RSA": member("n", of: members)
        default: member("x", of: members)
        }
    }

    private static func info(_ members: [String: String]) -> Data {
        let (algorithm, key): ([UInt8], Data) =
            switch members["kty"] {
            // RFC 5480 §2.1.1: id-ecPublicKey, secp256r1.
            case "EC":
                (
                    [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7],
                    raw(members)
                )
            // RFC 3279 §2.3.1: rsaEncryption without parameters.
            case "RSA":
                (
                    [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 0x05, 0],
                    der(0x30, integer(member("n", of: members)) + integer(member("e", of: members)))
                )
            // RFC 8410 §3: id-Ed25519.
            default: ([0x06, 3, 0x2B, 0x65, 0x70], raw(members))
            }
        return der(0x30, der(0x30, Data(algorithm)) + der(0x03, [0] + key))
    }

    private static func integer(_ magnitude: Data) -> Data {
        der(0x02, magnitude.first ?? 0 < 0x80 ? magnitude : [0] + magnitude)
    }

    /// Encodes one DER element (X.690 §8.1).
    private static func der(_ tag: UInt8, _ content: Data) -> Data {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        if content.count >= 0x80 { length.insert(0x80 | UInt8(length.count), at: 0) }
        return [tag] + length + content
    }

    private static func pem(_ data: Data) -> String {
        let lines = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
    }
}

extension TokenSigner {
    /// The members of the public key in a key set.
    public var publishedMembers: [String: String] {
        switch self {
        case let key as SigningKey: key.publicJWK.publishedMembers
        case let key as RS256SigningKey: key.publicKey.publishedMembers
        default: [:]
        }
    }
}
