package import Foundation
package import SessionTokens

/// An RSA key that signs access tokens with RS256 (RFC 7518 §3.3), for backends whose library supports nothing newer.
package struct RS256SigningKey: TokenSigner {
    private let key: RSASigningKey

    package init(_ key: RSASigningKey) {
        self.key = key
    }

    package var keyID: String { key.keyID }
    package var algorithm: SignatureAlgorithm { .rs256 }
    package var publicKey: RS256PublicKey { RS256PublicKey(key.publicKey) }

    package func signature(for message: Data) throws -> Data {
        try key.rs256Signature(for: message)
    }
}

/// An RSA key that verifies RS256.
package struct RS256PublicKey: VerificationKey {
    private let key: RSAPublicKey

    package init(_ key: RSAPublicKey) {
        self.key = key
    }

    package var algorithm: SignatureAlgorithm { .rs256 }
    package var thumbprint: String { key.thumbprint }
    package var requiredMembers: [String: String] { key.requiredMembers }

    package func isValidSignature(_ signature: Data, for message: Data) -> Bool {
        key.isValidRS256(signature, for: message)
    }
}
