internal import Crypto
internal import CryptoExtras
public import Foundation
public import SessionTokens

/// A public RSA key as a JSON Web Key (RFC 7518 §6.3.1), of 2048 to 4096 bits.
public struct RSAPublicKey: Sendable {
    private let key: _RSA.Signing.PublicKey
    /// The required members (RFC 7638 §3.2).
    public let requiredMembers: [String: String]
    /// SHA-256 thumbprint in base64url (RFC 7638 §3).
    public let thumbprint: String

    /// - Throws: `RSAKeyError` if the key is too short, too long, or has leading zeros.
    public init(modulus: Data, exponent: Data) throws {
        guard modulus.first ?? 0 != 0, exponent.first ?? 0 != 0, exponent.count <= 4,
            (2048 / 8...4096 / 8).contains(modulus.count),
            modulus.count > 2048 / 8 || modulus[modulus.startIndex] >= 0x80
        else { throw RSAKeyError.unusable }
        try self.init(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
    }

    init(_ key: _RSA.Signing.PublicKey) throws {
        self.key = key
        let primitives = try key.getKeyPrimitives()
        let (n, e) = (Base64URL.encode(primitives.modulus), Base64URL.encode(primitives.publicExponent))
        requiredMembers = ["kty": "RSA", "n": n, "e": e]
        // Members in lexicographic order, without white space (RFC 7638 §3.3).
        thumbprint = Base64URL.encode(SHA256.hash(data: Data(#"{"e":"\#(e)","kty":"RSA","n":"\#(n)"}"#.utf8)))
    }

    /// Verifies RSASSA-PKCS1-v1_5 with SHA-256: `RS256` (RFC 7518 §3.3).
    public func isValidRS256(_ signature: Data, for message: Data) -> Bool {
        key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.digest(of: message),
            padding: .insecurePKCS1v1_5)
    }

    /// Verifies RSASSA-PSS with SHA-256, as `RSASigningKey` signs.
    public func isValidPSS(_ signature: Data, for message: Data) -> Bool {
        key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: message, padding: .PSS)
    }
}

/// An RSA key that verifies RS256.
public struct RS256PublicKey: VerificationKey {
    private let key: RSAPublicKey

    public init(_ key: RSAPublicKey) {
        self.key = key
    }

    public var algorithm: SignatureAlgorithm { .rs256 }
    public var thumbprint: String { key.thumbprint }
    public var requiredMembers: [String: String] { key.requiredMembers }

    public func isValidSignature(_ signature: Data, for message: Data) -> Bool {
        key.isValidRS256(signature, for: message)
    }
}

public enum RSAKeyError: Error, Equatable {
    /// Shorter than 2048 bits, longer than 4096, or with leading zeros.
    case unusable
}
