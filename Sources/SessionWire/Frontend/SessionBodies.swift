/// `GET /me/list`: one page of the user's sessions.
public struct SessionListResponse: Codable, Sendable, Equatable {
    public var sessions: [SessionView]
    public var total: Int
    public var limit: Int
    public var offset: Int

    public init(sessions: [SessionView], total: Int, limit: Int, offset: Int) {
        self.sessions = sessions
        self.total = total
        self.limit = limit
        self.offset = offset
    }
}

/// One session as its user sees it. All fields are always present. Unknown values are empty strings.
public struct SessionView: Codable, Sendable, Equatable {
    public var id: String
    public var deviceModel: String
    /// `desktop`, `mobile`, `tablet` or `unknown`.
    public var deviceType: String
    public var osVersion: String
    /// ISO 3166-1 alpha-2.
    public var countryCode: String
    /// RFC 3339 in UTC.
    public var createdAt: String
    /// RFC 3339 in UTC.
    public var lastSeenAt: String
    /// RFC 3339 in UTC.
    public var expiresAt: String

    public init(
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
public struct IdentifiersResponse: Codable, Sendable, Equatable {
    public var identifiers: [Identifier]

    public init(identifiers: [Identifier]) { self.identifiers = identifiers }
}

/// The `target` parameter of `POST /me/revoke`.
public enum RevokeTargetName: String, Sendable, CaseIterable {
    case all, others, mine, session
}
