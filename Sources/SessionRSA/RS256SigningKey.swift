public import Foundation
public import SessionTokens

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
