public import Crypto
public import Foundation

/// A public key as a JSON Web Key (RFC 7517): P-256 (RFC 7518 §6.2.1) or Ed25519 (RFC 8037 §2).
///
/// A value is always valid: coordinates have their full length, and the point is on the curve.
public struct PublicJWK: VerificationKey {
    public enum Material: Sendable {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    public let material: Material
    /// Whether `alg` is the fully-specified `Ed25519` of RFC 9864 §2.2 instead of `EdDSA`. No part of the key: it changes
    /// neither the thumbprint nor which signatures are valid.
    public var isFullySpecified = false

    /// The SHA-256 thumbprint in base64url (RFC 7638 §3). It is the `kid` of the service's keys and the `jkt` of DPoP.
    public let thumbprint: String
    /// The coordinates in base64url, `x` and for P-256 `y`. The key would have to compute them.
    let coordinates: [String]

    public init(_ key: P256.Signing.PublicKey) {
        let point = key.rawRepresentation
        self.init(key, x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32)))
    }

    public init(_ key: Curve25519.Signing.PublicKey) {
        self.init(key, x: Base64URL.encode(key.rawRepresentation))
    }

    /// - Parameters:
    ///   - x: The first coordinate of the key, in base64url. The key would have to compute it.
    ///   - y: The second coordinate.
    init(_ key: P256.Signing.PublicKey, x: String, y: String) {
        material = .p256(key)
        coordinates = [x, y]
        thumbprint = Self.thumbprint(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#)
    }

    /// - Parameter x: The key in base64url.
    init(_ key: Curve25519.Signing.PublicKey, x: String) {
        material = .ed25519(key)
        coordinates = [x]
        thumbprint = Self.thumbprint(#"{"crv":"Ed25519","kty":"OKP","x":"\#(x)"}"#)
    }

    public var algorithm: SignatureAlgorithm {
        switch material {
        case .p256: .es256
        case .ed25519: isFullySpecified ? .ed25519 : .edDSA
        }
    }

    public var requiredMembers: [String: String] {
        switch material {
        case .p256: ["kty": "EC", "crv": "P-256", "x": coordinates[0], "y": coordinates[1]]
        case .ed25519: ["kty": "OKP", "crv": "Ed25519", "x": coordinates[0]]
        }
    }

    public func isValidSignature(_ signature: Data, for message: Data) -> Bool {
        switch material {
        case .p256(let key):
            guard let parsed = Self.parsed(signature) else { return false }
            return key.isValidSignature(parsed, for: SHA256.digest(of: message))
        case .ed25519(let key):
            return key.isValidSignature(signature, for: message)
        }
    }

    /// A signature of P-256; `nil` if it does not have 64 bytes (RFC 7518 §3.4).
    private static func parsed(_ signature: Data) -> P256.Signing.ECDSASignature? {
        #if canImport(CryptoKit)
            return try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        #else
            // The initializer of swift-crypto copies the bytes through protocols at run time, which takes 2 µs.
            guard signature.count == 64, var parsed = zeros else { return nil }
            parsed.rawRepresentation = signature
            return parsed
        #endif
    }

    #if !canImport(CryptoKit)
        private static let zeros = try? P256.Signing.ECDSASignature(rawRepresentation: Data(count: 64))
    #endif

    /// - Parameter canonical: The members in lexicographic order without white space (RFC 7638 §3.3). Base64url needs no
    ///   escapes.
    private static func thumbprint(_ canonical: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(canonical.utf8)))
    }
}

extension PublicJWK: Hashable {
    public static func == (left: PublicJWK, right: PublicJWK) -> Bool { left.thumbprint == right.thumbprint }
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}
