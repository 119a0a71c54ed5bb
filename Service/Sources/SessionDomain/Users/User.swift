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
    /// The identifiers that a session registered, with the time until which they open nothing else.
    package var heldUntil: [CanonicalIdentifier: Timestamp]
    package var hasPassword: Bool
    /// Counts the changes that make begun logins void. A challenge token, and the token of a known device, is valid for the
    /// count under which it was issued.
    package var loginEpoch: Int64
    /// The first language of the last login that named one, as a tag (RFC 5646). Notices that an operator causes are in it.
    /// Only `Change.setLocale` writes it.
    package var locale: String?
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String, appID: AppID, status: Status = .active, externalID: String? = nil,
        profile: [String: JSONValue] = [:], identifiers: [CanonicalIdentifier],
        heldUntil: [CanonicalIdentifier: Timestamp] = [:], hasPassword: Bool = false, loginEpoch: Int64 = 0,
        locale: String? = nil,
        createdAt: Timestamp, updatedAt: Timestamp? = nil
    ) {
        self.id = id
        self.appID = appID
        self.status = status
        self.externalID = externalID
        self.profile = profile
        self.identifiers = identifiers
        self.heldUntil = heldUntil
        self.hasPassword = hasPassword
        self.loginEpoch = loginEpoch
        self.locale = locale
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }

    /// Throws if the user may not sign in.
    package func requireActive() throws(Refusal) {
        if let refusal = status.refusal { throw refusal }
    }
}

extension User.Status {
    /// What the user learns who has proven an identifier, the password or the device. `nil` if the user may sign in.
    package var refusal: Refusal? {
        switch self {
        case .active: nil
        case .inactive: .inactiveUser
        case .suspended: .suspendedAccount
        }
    }
}
