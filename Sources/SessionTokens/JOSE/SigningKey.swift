public import Crypto
public import Foundation

/// A private key that signs tokens with one algorithm (RFC 8725 §3.1).
public protocol TokenSigner: Sendable {
    /// The `kid` of its tokens.
    var keyID: String { get }
    var algorithm: SignatureAlgorithm { get }
    /// The signature in the form of JWS (RFC 7515 §5.1).
    func signature(for message: Data) throws -> Data
}

/// An elliptic curve key pair that signs tokens.
public struct SigningKey: TokenSigner {
    public enum Material: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    public let material: Material
    public private(set) var publicJWK: PublicJWK

    public init(_ key: P256.Signing.PrivateKey) {
        material = .p256(key)
        publicJWK = PublicJWK(key.publicKey)
    }

    public init(_ key: Curve25519.Signing.PrivateKey) {
        material = .ed25519(key)
        publicJWK = PublicJWK(key.publicKey)
    }

    /// Generates a new key.
    public static func generate(_ algorithm: CurveAlgorithm) -> SigningKey {
        switch algorithm {
        case .edDSA: SigningKey(Curve25519.Signing.PrivateKey())
        case .es256: SigningKey(P256.Signing.PrivateKey())
        }
    }

    /// The same key, whose tokens and JWK have the `alg` `Ed25519` (RFC 9864 §2.2). A P-256 key has one name only.
    public func fullySpecified() -> SigningKey {
        var key = self
        key.publicJWK.isFullySpecified = true
        return key
    }

    /// Creates a key from its `rawRepresentation`; `nil` if the bytes are not a key of this algorithm.
    public init?(algorithm: CurveAlgorithm, rawRepresentation: Data) {
        switch algorithm {
        case .edDSA:
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation) else { return nil }
            self.init(key)
        case .es256:
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: rawRepresentation) else { return nil }
            self.init(key)
        }
    }

    /// The secret scalar or seed, 32 bytes. Store it encrypted only.
    public var rawRepresentation: Data {
        switch material {
        case .p256(let key): key.rawRepresentation
        case .ed25519(let key): key.rawRepresentation
        }
    }

    public var keyID: String { publicJWK.thumbprint }
    public var algorithm: SignatureAlgorithm { publicJWK.algorithm }

    /// The raw signature of 64 bytes: `r ‖ s` for ES256 (RFC 7518 §3.4), RFC 8032 for Ed25519.
    public func signature(for message: Data) throws -> Data {
        switch material {
        case .p256(let key): try key.signature(for: SHA256.digest(of: message)).rawRepresentation
        case .ed25519(let key): Data(try key.signature(for: message))
        }
    }
}
