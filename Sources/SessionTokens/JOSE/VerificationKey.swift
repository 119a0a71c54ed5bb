package import Foundation

/// A public key that verifies tokens, with one algorithm (RFC 8725 §3.1).
package protocol VerificationKey: Sendable {
    var algorithm: SignatureAlgorithm { get }
    /// SHA-256 thumbprint in base64url (RFC 7638 §3): the `kid` of our own keys.
    var thumbprint: String { get }
    /// The members that make the key, which are also those the thumbprint covers (RFC 7638 §3.2).
    var requiredMembers: [String: String] { get }
    /// Whether `signature` is this key's over `message`; a malformed signature is just a wrong one.
    func isValidSignature(_ signature: Data, for message: Data) -> Bool
}

extension VerificationKey {
    /// What a set shows of a key: the required members, and what it is for (RFC 7517 §4).
    package var publishedMembers: [String: String] {
        requiredMembers.merging(["kid": thumbprint, "alg": algorithm.rawValue, "use": "sig"]) { first, _ in first }
    }
}

/// Keys to verify with, found by `kid` and in no other way (RFC 8725 §3.10).
package protocol VerificationKeySet: Sendable {
    /// The key with exactly this `kid`; there is no default key to fall back to.
    func key(id: String) -> (any VerificationKey)?
}

/// Our own keys, of any kind, whose `kid` is their thumbprint.
package struct VerificationKeys: VerificationKeySet {
    package let keys: [any VerificationKey]

    package init(_ keys: [any VerificationKey]) {
        self.keys = keys
    }

    package func key(id: String) -> (any VerificationKey)? {
        keys.first { $0.thumbprint == id }
    }
}
