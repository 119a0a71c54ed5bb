/// A key of the management API. It contains the hash, never the secret.
package struct ManagementKey: Sendable, Equatable {
    /// What a key may do.
    package enum Role: String, Sendable, CaseIterable {
        /// Only GET and HEAD.
        case read
        case write
    }

    /// Where a key comes from.
    package enum Creator: Sendable, Equatable {
        /// The key is in the configuration. It is never stored.
        case configuration
        case commandLine
        /// The id of the key that created it.
        case key(String)
        /// The id of the operator of the console who created it.
        case `operator`(String)
    }

    /// The maximum number of stored keys of one app, and of those for all apps. An expired key counts until it is revoked:
    /// revoking reads all of them.
    package static let maximumPerApp = 100

    /// `mk_` and a ULID. Of a configured key: `mk_configured_` and the first 8 characters of its hash.
    package let id: String
    package let name: String
    /// The app that the key is valid for. `nil`: all apps.
    package let appID: AppID?
    /// SHA-256 of the secret in base64url. The secret has at least 128 random bits, so no slow hash is needed.
    package let hash: String
    package let role: Role
    /// `nil`: the key is older than this record.
    package let createdBy: Creator?
    package let createdAt: Timestamp
    /// The time from which the key is invalid.
    package let expiresAt: Timestamp?
    /// The time of a recent use, up to a minute late. `nil`: never used, as far as is known.
    package var lastUsedAt: Timestamp?

    package init(
        id: String, name: String, appID: AppID?, hash: String, role: Role = .write, createdBy: Creator? = nil,
        createdAt: Timestamp, expiresAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.appID = appID
        self.hash = hash
        self.role = role
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }

    package func isValid(at now: Timestamp) -> Bool { expiresAt.map { $0 > now } ?? true }
}

extension ManagementKey {
    /// The actor of the events that a caller with this key causes.
    package var actor: EventContext.Actor {
        // The id of a configured key contains a part of the hash of its secret.
        createdBy == .configuration
            ? .init(.configuration, name: name) : .init(.managementKey, id: id, name: name)
    }

    /// What a key may not pass on.
    package enum Excess: Sendable, Equatable {
        case role
        case app
        case expiry
        /// A rotation of the key that created this one, or of a key above that.
        case ancestor
    }

    /// The first right of another key that this key does not have itself; `nil` if it may create that key.
    package func excess(of other: ManagementKey) -> Excess? {
        if role == .read, other.role == .write { return .role }
        if let appID, other.appID != appID { return .app }
        if let expiresAt, other.expiresAt.map({ $0 > expiresAt }) ?? true { return .expiry }
        return nil
    }
}

extension ManagementKey.Creator: RawRepresentable {
    /// How the id of an operator begins.
    static var operatorPrefix: String { "usr_" }

    package init?(rawValue: String) {
        switch rawValue {
        case "configuration": self = .configuration
        case "command_line": self = .commandLine
        case let id where id.hasPrefix("mk_"): self = .key(id)
        case let id where id.hasPrefix(Self.operatorPrefix): self = .operator(id)
        default: return nil
        }
    }

    /// The name for operators of one app. It contains nothing of the hash of a configured key.
    package var publicName: String {
        if case .key(let id) = self, id.hasPrefix(ConfiguredManagementKey.idPrefix) {
            return Self.configuration.rawValue
        }
        return rawValue
    }

    package var rawValue: String {
        switch self {
        case .configuration: "configuration"
        case .commandLine: "command_line"
        case .key(let id), .operator(let id): id
        }
    }
}
