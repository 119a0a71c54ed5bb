public import Crypto
public import Foundation

/// A public key that verifies tokens with one algorithm (RFC 8725 §3.1).
public protocol VerificationKey: Sendable {
    var algorithm: SignatureAlgorithm { get }
    /// The SHA-256 thumbprint in base64url (RFC 7638 §3). It is the `kid` of the service's keys.
    var thumbprint: String { get }
    /// The required members of the JWK. The thumbprint covers exactly these (RFC 7638 §3.2).
    var requiredMembers: [String: String] { get }
    /// Whether this key verifies the signature of a message. A malformed signature returns `false`.
    func isValidSignature(_ signature: Data, for message: Data) -> Bool
}

extension VerificationKey {
    /// The members of the key in a key set: the required members, `kid`, `alg` and `use` (RFC 7517 §4).
    public var publishedMembers: [String: String] {
        requiredMembers.merging(["kid": thumbprint, "alg": algorithm.rawValue, "use": "sig"]) { first, _ in first }
    }
}

/// A set of public keys. Keys are found by `kid` only (RFC 8725 §3.10).
public protocol VerificationKeySet: Sendable {
    /// The key with exactly this `kid`; `nil` if there is none. No default key exists.
    func key(id: String) -> (any VerificationKey)?
}

/// The service's own keys. Their `kid` is their thumbprint.
public struct VerificationKeys: VerificationKeySet {
    public let keys: [any VerificationKey]

    public init(_ keys: [any VerificationKey]) {
        self.keys = keys
    }

    public func key(id: String) -> (any VerificationKey)? {
        keys.first { $0.thumbprint == id }
    }
}

/// The supported `alg` values (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2). All other algorithms are rejected
/// (RFC 8725 §3.1).
public enum SignatureAlgorithm: String, Sendable, CaseIterable, Codable {
    case edDSA = "EdDSA"
    /// The name of RFC 9864 for EdDSA with the curve Ed25519.
    case ed25519 = "Ed25519"
    case es256 = "ES256"
    /// Its keys are in the target `SessionRSA`, so that apps do not build RSA.
    case rs256 = "RS256"

    /// The algorithm without its spelling: `EdDSA` for both names of Ed25519. Readers compare this value, so they accept
    /// both names. Writers use the name of the key.
    public var spelledClassically: SignatureAlgorithm { self == .ed25519 ? .edDSA : self }
}

/// The elliptic curve algorithms, which `SigningKey` and `PublicJWK` support.
public enum CurveAlgorithm: Sendable, CaseIterable {
    case edDSA
    case es256

    public var signatureAlgorithm: SignatureAlgorithm {
        switch self {
        case .edDSA: .edDSA
        case .es256: .es256
        }
    }
}

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
    private let coordinates: [String]

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
    private init(_ key: P256.Signing.PublicKey, x: String, y: String) {
        material = .p256(key)
        coordinates = [x, y]
        thumbprint = Self.thumbprint(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#)
    }

    /// - Parameter x: The key in base64url.
    private init(_ key: Curve25519.Signing.PublicKey, x: String) {
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

/// Why a JSON Web Key is rejected.
public enum JWKError: Error, Equatable {
    /// The key type in `kty` or `crv` is not supported.
    case unsupportedKey
    /// The key has a private or symmetric member (RFC 9449 §4.3 step 7).
    case privateKey
    /// A coordinate is missing, is not canonical base64url or has the wrong length, or the point is not on the curve.
    case invalidCoordinates
}

extension PublicJWK: Codable, JSONObjectReadable {
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    public init(from decoder: any Decoder) throws {
        guard case .object(let members) = try JSONValue(from: decoder) else { throw JWKError.unsupportedKey }
        try self.init(JSONObject(members))
    }

    public init(_ object: JSONObject) throws {
        guard !Self.privateMembers.contains(where: object.contains) else { throw JWKError.privateKey }
        switch (try object.string("kty"), try object.stringIfPresent("crv")) {
        case ("EC", "P-256"):
            let (x, y) = (try Self.coordinate("x", in: object), try Self.coordinate("y", in: object))
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x.bytes + y.bytes) else {
                throw JWKError.invalidCoordinates
            }
            self.init(key, x: x.text, y: y.text)
        case ("OKP", "Ed25519"):
            let x = try Self.coordinate("x", in: object)
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x.bytes) else {
                throw JWKError.invalidCoordinates
            }
            self.init(key, x: x.text)
        default:
            throw JWKError.unsupportedKey
        }
    }

    /// Only the canonical text of 32 bytes is valid, so the text is the one of the thumbprint (RFC 7638 §7).
    private static func coordinate(_ name: String, in object: JSONObject) throws -> (text: String, bytes: Data) {
        // Both curves have coordinates of 32 bytes, with leading zeros (RFC 7518 §6.2.1.2).
        guard let text = try object.stringIfPresent(name), let bytes = Base64URL.decode(text), bytes.count == 32
        else { throw JWKError.invalidCoordinates }
        return (text, bytes)
    }

    /// Writes the required members only, as a proof header needs them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(requiredMembers)
    }
}
