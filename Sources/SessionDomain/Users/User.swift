package import SessionTokens

/// A person who signs in to one app.
package struct User: Sendable, Equatable {
    package enum Status: String, Sendable, Codable, CaseIterable {
        case active
        /// Closed by the operator or the user.
        case inactive
        /// Locked out by the operator.
        case suspended
    }

    /// `usr_` and a lower-case ULID.
    package let id: String
    package let appID: AppID
    package var status: Status
    package var externalID: String?
    package var profile: [String: JSONValue]
    package var identifiers: [CanonicalIdentifier]
    package var hasPassword: Bool
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String, appID: AppID, status: Status = .active, externalID: String? = nil,
        profile: [String: JSONValue] = [:], identifiers: [CanonicalIdentifier], hasPassword: Bool = false,
        createdAt: Timestamp, updatedAt: Timestamp? = nil
    ) {
        self.id = id
        self.appID = appID
        self.status = status
        self.externalID = externalID
        self.profile = profile
        self.identifiers = identifiers
        self.hasPassword = hasPassword
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }

    /// Throws if the user may not sign in.
    package func requireActive() throws(Refusal) {
        switch status {
        case .active: return
        case .inactive: throw .inactiveUser
        case .suspended: throw .suspendedAccount
        }
    }
}
