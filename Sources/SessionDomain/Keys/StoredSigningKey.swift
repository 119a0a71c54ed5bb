package import Foundation
package import SessionTokens

/// A signing key as stores keep it: its times and its name in clear, its private half sealed under a master key.
package struct StoredSigningKey: Sendable, Equatable {
    package enum Purpose: String, Sendable, Codable, CaseIterable {
        /// Access tokens, published in `jwks.json`.
        case access
        /// Challenge tokens, published in `step-up-jwks.json`.
        case challenge
        /// Hooks and webhooks, published in `jwks.json`.
        case hook
    }

    package let appID: AppID
    package let purpose: Purpose
    /// RFC 7638 thumbprint.
    package let keyID: String
    package let algorithm: KeyAlgorithm
    package var sealedPrivateKey: Data
    /// Published from then on.
    package var createdAt: Timestamp
    /// Signs from then on, until another one does.
    package var activeFrom: Timestamp
    /// When its successor takes over; `nil` without one.
    package var retiresAt: Timestamp?
    /// Published until then at least: nothing that it signed is good any longer.
    package var removeAfter: Timestamp?

    /// - Parameter activeFrom: `nil` is at once.
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

/// What a key of ours signs with: tokens, or the bodies of hooks and webhooks.
package enum KeyAlgorithm: String, Sendable, CaseIterable {
    case edDSA = "EdDSA"
    case es256 = "ES256"
    case rs256 = "RS256"
    /// RSASSA-PSS, for hooks and webhooks only: no token of ours is signed with it.
    case ps256 = "PS256"

    package init(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .edDSA: self = .edDSA
        case .es256: self = .es256
        case .rs256: self = .rs256
        }
    }
}

extension StoredSigningKey.Purpose {
    /// The algorithm that the app's new keys have.
    package func algorithm(of app: App) -> KeyAlgorithm {
        switch self {
        case .access: KeyAlgorithm(app.signingAlgorithm)
        case .challenge: .edDSA
        case .hook: .ps256
        }
    }
}
