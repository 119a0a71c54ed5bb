package import SessionTokens

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
