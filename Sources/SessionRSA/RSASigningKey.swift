internal import CryptoExtras
public import Foundation
public import SessionTokens

/// A private RSA key of 2048 bits. It signs either hooks and webhooks (PSS) or access tokens (`RS256SigningKey`), never both.
public struct RSASigningKey: Sendable {
    private let key: _RSA.Signing.PrivateKey
    public let publicKey: RSAPublicKey

    private init(_ key: _RSA.Signing.PrivateKey) throws {
        self.key = key
        publicKey = try RSAPublicKey(key.publicKey)
    }

    /// Generates a key with the system's random generator. It takes some tenths of a second.
    public static func generate() throws -> RSASigningKey {
        try RSASigningKey(_RSA.Signing.PrivateKey(keySize: .bits2048))
    }

    /// Reads the result of `derRepresentation`.
    public init(derRepresentation: Data) throws {
        try self.init(_RSA.Signing.PrivateKey(derRepresentation: derRepresentation))
    }

    /// The private key as PKCS #1 in DER. Store it sealed only.
    public var derRepresentation: Data { key.derRepresentation }

    /// RFC 7638 thumbprint.
    public var keyID: String { publicKey.thumbprint }

    /// Signs with RSASSA-PSS: SHA-256, MGF1 with SHA-256, a salt of 32 bytes.
    public func pssSignature(for message: Data) throws -> Data {
        try key.signature(for: message, padding: .PSS).rawRepresentation
    }

    /// Signs with RSASSA-PKCS1-v1_5 and SHA-256 (RFC 7518 §3.3).
    fileprivate func rs256Signature(for message: Data) throws -> Data {
        try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation
    }
}

/// An RSA key that signs access tokens with RS256 (RFC 7518 §3.3), for backends whose library supports nothing newer.
public struct RS256SigningKey: TokenSigner {
    private let key: RSASigningKey

    public init(_ key: RSASigningKey) {
        self.key = key
    }

    public var keyID: String { key.keyID }
    public var algorithm: SignatureAlgorithm { .rs256 }
    public var publicKey: RS256PublicKey { RS256PublicKey(key.publicKey) }

    public func signature(for message: Data) throws -> Data {
        try key.rs256Signature(for: message)
    }
}
