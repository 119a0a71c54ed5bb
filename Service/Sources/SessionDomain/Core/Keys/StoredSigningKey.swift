package import Foundation
package import SessionTokens

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

/// Signature algorithms of the service's keys.
package enum KeyAlgorithm: String, Sendable, CaseIterable {
    case edDSA = "EdDSA"
    /// The same algorithm under its name of RFC 9864. The name belongs to the key: a changed name gets a new key.
    case ed25519 = "Ed25519"
    case es256 = "ES256"
    case rs256 = "RS256"
    /// RSASSA-PSS, for hooks and webhooks only. The service signs no token with it.
    case ps256 = "PS256"

    package init(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .edDSA: self = .edDSA
        case .ed25519: self = .ed25519
        case .es256: self = .es256
        case .rs256: self = .rs256
        }
    }
}

extension StoredSigningKey.Purpose {
    /// Returns the algorithm of the app's new keys of this purpose.
    package func algorithm(of app: App) -> KeyAlgorithm {
        switch self {
        case .access: KeyAlgorithm(app.signingAlgorithm)
        case .challenge: app.signingAlgorithm == .ed25519 ? .ed25519 : .edDSA
        case .hook: .ps256
        }
    }
}

/// An app's keys of one purpose: which of them signs at a given time, and the state of each.
package struct KeySchedule: Sendable {
    package enum State: String, Sendable {
        /// Published, but does not sign yet: nodes and verifiers must fetch it first.
        case pending
        /// Signs now.
        case active
        /// Only verifies what it has signed.
        case retired
    }

    /// Latest `activeFrom` first. All of them are published: only a housekeeping round removes a key, never the clock alone.
    package let keys: [StoredSigningKey]

    package init(_ keys: [StoredSigningKey], purpose: StoredSigningKey.Purpose) {
        self.keys = keys.filter { $0.purpose == purpose }.inOrder
    }

    /// Returns the key that signs: the latest one whose `activeFrom` has passed. If none has passed, the earliest one signs.
    ///
    /// - Parameter isKnown: Whether a key has been published for long enough, independent of the system clock.
    package func signing(
        at now: Timestamp, isKnown: (StoredSigningKey) -> Bool = { _ in true }
    ) -> StoredSigningKey? {
        let active = keys.filter { $0.activeFrom <= now }
        // If none has been published for long enough, most verifiers know the oldest one.
        return active.first(where: isKnown) ?? active.last ?? keys.last
    }

    package func state(of key: StoredSigningKey, at now: Timestamp) -> State {
        if key.keyID == signing(at: now)?.keyID { return .active }
        return key.activeFrom > now ? .pending : .retired
    }

    /// The range around `now` in which `signing` and `state` do not change.
    func span(around now: Timestamp) -> Range<Timestamp> {
        let moments = keys.map(\.activeFrom)
        let from = moments.filter { $0 <= now }.max() ?? Timestamp(milliseconds: .min)
        return from..<(moments.filter { $0 > now }.min() ?? Timestamp(milliseconds: .max))
    }
}

extension [StoredSigningKey] {
    /// Latest `activeFrom` first. Of two equal ones, the one that was stored later comes first.
    var inOrder: [StoredSigningKey] {
        enumerated().sorted { ($1.element.activeFrom, $0.offset) < ($0.element.activeFrom, $1.offset) }.map(\.element)
    }
}
