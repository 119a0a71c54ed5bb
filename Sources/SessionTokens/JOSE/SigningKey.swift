package import Crypto
package import Foundation

/// A private key that signs tokens with one algorithm (RFC 8725 §3.1).
package protocol TokenSigner: Sendable {
    /// The `kid` of its tokens.
    var keyID: String { get }
    var algorithm: SignatureAlgorithm { get }
    /// The signature in the form of JWS (RFC 7515 §5.1).
    func signature(for message: Data) throws -> Data
}

/// An elliptic curve key pair that signs tokens.
package struct SigningKey: TokenSigner {
    package enum Material: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    package let material: Material
    package private(set) var publicJWK: PublicJWK

    package init(_ key: P256.Signing.PrivateKey) {
        material = .p256(key)
        publicJWK = PublicJWK(key.publicKey)
    }

    package init(_ key: Curve25519.Signing.PrivateKey) {
        material = .ed25519(key)
        publicJWK = PublicJWK(key.publicKey)
    }

    /// Generates a new key.
    package static func generate(_ algorithm: CurveAlgorithm) -> SigningKey {
        switch algorithm {
        case .edDSA: SigningKey(Curve25519.Signing.PrivateKey())
        case .es256: SigningKey(P256.Signing.PrivateKey())
        }
    }

    /// The same key, whose tokens and JWK have the `alg` `Ed25519` (RFC 9864 §2.2). A P-256 key has one name only.
    package func fullySpecified() -> SigningKey {
        var key = self
        key.publicJWK.isFullySpecified = true
        return key
    }

    /// Creates a key from its `rawRepresentation`; `nil` if the bytes are not a key of this algorithm.
    package init?(algorithm: CurveAlgorithm, rawRepresentation: Data) {
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
    package var rawRepresentation: Data {
        switch material {
        case .p256(let key): key.rawRepresentation
        case .ed25519(let key): key.rawRepresentation
        }
    }

    package var keyID: String { publicJWK.thumbprint }
    package var algorithm: SignatureAlgorithm { publicJWK.algorithm }

    /// The raw signature of 64 bytes: `r ‖ s` for ES256 (RFC 7518 §3.4), RFC 8032 for Ed25519.
    package func signature(for message: Data) throws -> Data {
        switch material {
        case .p256(let key): try key.signature(for: SHA256.digest(of: message)).rawRepresentation
        case .ed25519(let key): Data(try key.signature(for: message))
        }
    }
}
