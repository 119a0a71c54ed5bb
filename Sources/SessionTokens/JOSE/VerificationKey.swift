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
