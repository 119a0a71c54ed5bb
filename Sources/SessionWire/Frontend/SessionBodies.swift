/// `GET /me/list`: one page of the user's sessions.
package struct SessionListResponse: Codable, Sendable, Equatable {
    package var sessions: [SessionView]
    package var total: Int
    package var limit: Int
    package var offset: Int

    package init(sessions: [SessionView], total: Int, limit: Int, offset: Int) {
        self.sessions = sessions
        self.total = total
        self.limit = limit
        self.offset = offset
    }
}

/// One session as its user sees it. All fields are always present. Unknown values are empty strings.
package struct SessionView: Codable, Sendable, Equatable {
    package var id: String
    package var deviceModel: String
    /// `desktop`, `mobile`, `tablet` or `unknown`.
    package var deviceType: String
    package var osVersion: String
    /// ISO 3166-1 alpha-2.
    package var countryCode: String
    /// RFC 3339 in UTC.
    package var createdAt: String
    /// RFC 3339 in UTC.
    package var lastSeenAt: String
    /// RFC 3339 in UTC.
    package var expiresAt: String

    package init(
        id: String, deviceModel: String, deviceType: String, osVersion: String, countryCode: String,
        createdAt: String, lastSeenAt: String, expiresAt: String
    ) {
        self.id = id
        self.deviceModel = deviceModel
        self.deviceType = deviceType
        self.osVersion = osVersion
        self.countryCode = countryCode
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.expiresAt = expiresAt
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case deviceModel = "device_model"
        case deviceType = "device_type"
        case osVersion = "os_version"
        case countryCode = "country_code"
        case createdAt = "created_at"
        case lastSeenAt = "last_seen_at"
        case expiresAt = "expires_at"
    }
}

/// `GET /me/identifiers`: the user's identifiers.
package struct IdentifiersResponse: Codable, Sendable, Equatable {
    package var identifiers: [Identifier]

    package init(identifiers: [Identifier]) { self.identifiers = identifiers }
}

/// The `target` parameter of `POST /me/revoke`.
package enum RevokeTargetName: String, Sendable, CaseIterable {
    case all, others, mine, session
}
