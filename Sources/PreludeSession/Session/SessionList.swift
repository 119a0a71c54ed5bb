internal import SessionWire

/// Which part of the session list to fetch.
public struct ListSessionsOptions: Sendable, Hashable {
    /// Sessions a page has, 1–100.
    public var limit: Int
    /// Sessions to skip.
    public var offset: Int

    public init(limit: Int = 10, offset: Int = 0) {
        self.limit = limit
        self.offset = offset
    }
}

/// A page of the user's sessions, last seen first.
public struct ListSessionsResponse: Sendable, Hashable {
    public let sessions: [PreludeSessionView]
    /// Sessions there are in all.
    public let total: Int
    public let limit: Int
    public let offset: Int

    init(_ body: SessionListResponse) {
        sessions = body.sessions.map(PreludeSessionView.init)
        total = body.total
        limit = body.limit
        offset = body.offset
    }
}

/// One signed-in device. Times are RFC 3339 texts as the server sent them; what is unknown is empty.
public struct PreludeSessionView: Sendable, Hashable, Identifiable {
    public let id: String
    public let deviceModel: String
    public let deviceType: PreludeDeviceType
    public let osVersion: String
    /// ISO 3166-1 alpha-2.
    public let countryCode: String
    public let createdAt: String
    public let lastSeenAt: String
    public let expiresAt: String

    init(_ body: SessionView) {
        id = body.id
        deviceModel = body.deviceModel
        deviceType = PreludeDeviceType(rawValue: body.deviceType) ?? .unknown
        osVersion = body.osVersion
        countryCode = body.countryCode
        createdAt = body.createdAt
        lastSeenAt = body.lastSeenAt
        expiresAt = body.expiresAt
    }
}

/// The kind of a device; a kind of tomorrow is `unknown`.
public enum PreludeDeviceType: String, Sendable, Hashable, CaseIterable {
    case desktop, mobile, tablet, unknown
}

/// Which sessions to end.
public enum RevokeTarget: Sendable, Hashable {
    /// Every session of the user, this one included.
    case all
    /// Every session but this one.
    case others
    /// This one.
    case mine
    case session(id: String)
}
