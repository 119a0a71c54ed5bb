package import Foundation
package import SessionTokens

/// A signing key as stores keep it: public in clear, private sealed under the master key.
package struct StoredSigningKey: Sendable, Equatable {
    package enum Purpose: String, Sendable, Codable {
        /// Access tokens, published in `jwks.json`.
        case access
        /// Challenge tokens, published in `step-up-jwks.json`.
        case challenge
    }

    package let appID: AppID
    package let purpose: Purpose
    /// RFC 7638 thumbprint.
    package let keyID: String
    package let algorithm: SignatureAlgorithm
    package let sealedPrivateKey: Data
    package let createdAt: Timestamp

    package init(
        appID: AppID, purpose: Purpose, keyID: String, algorithm: SignatureAlgorithm, sealedPrivateKey: Data,
        createdAt: Timestamp
    ) {
        self.appID = appID
        self.purpose = purpose
        self.keyID = keyID
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
    }
}
