package import Foundation

/// A signing key as it is stored: times and id in clear, the private half sealed with a master key.
package struct StoredSigningKey: Sendable, Equatable {
    package enum Purpose: String, Sendable, Codable, CaseIterable {
        /// Signs access tokens. Published in `jwks.json`.
        case access
        /// Signs challenge tokens. Published in `step-up-jwks.json`.
        case challenge
        /// Signs hooks and webhooks. Published in `jwks.json`.
        case hook
    }

    /// Identifies a key within an app.
    struct Identity: Hashable, Sendable {
        let keyID: String
        let purpose: Purpose
    }

    package let appID: AppID
    package let purpose: Purpose
    /// RFC 7638 thumbprint.
    package let keyID: String
    package let algorithm: KeyAlgorithm
    package var sealedPrivateKey: Data
    /// The key is published from this time on.
    package var createdAt: Timestamp
    /// The key signs from this time on, until its successor does.
    package var activeFrom: Timestamp
    /// When its successor starts to sign; `nil` without a successor.
    package var retiresAt: Timestamp?
    /// The key is published at least until this time, when everything that it signed has expired.
    package var removeAfter: Timestamp?

    var identity: Identity { Identity(keyID: keyID, purpose: purpose) }

    /// - Parameter activeFrom: `nil`: at `createdAt`.
    package init(
        appID: AppID, purpose: Purpose, keyID: String, algorithm: KeyAlgorithm, sealedPrivateKey: Data,
        createdAt: Timestamp, activeFrom: Timestamp? = nil, retiresAt: Timestamp? = nil, removeAfter: Timestamp? = nil
    ) {
        self.appID = appID
        self.purpose = purpose
        self.keyID = keyID
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
        self.activeFrom = activeFrom ?? createdAt
        self.retiresAt = retiresAt
        self.removeAfter = removeAfter
    }
}
