internal import SessionWire

/// Which part of the session list to fetch.
public struct ListSessionsOptions: Sendable, Hashable {
    /// Sessions a page has, 1–100.
    public var limit: Int
    /// Sessions to skip.
    public var offset: Int

    /// A page of that many sessions, after so many others.
    ///
    /// - Parameters:
    ///   - limit: Sessions a page has, 1–100.
    ///   - offset: Sessions to skip, 0 or more.
    public init(limit: Int = 10, offset: Int = 0) {
        self.limit = limit
        self.offset = offset
    }
}

/// A page of the user's sessions, last seen first.
public struct ListSessionsResponse: Sendable, Hashable {
    /// The sessions of this page.
    public let sessions: [PreludeSessionView]
    /// Sessions there are in all.
    public let total: Int
    /// Sessions the page was asked for.
    public let limit: Int
    /// Sessions that were skipped.
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
    /// `ses_…`, for `RevokeTarget.session(id:)`.
    public let id: String
    /// The model, such as `iPhone` or `Mac`.
    public let deviceModel: String
    /// What kind of device it is.
    public let deviceType: PreludeDeviceType
    /// The system and its version, such as `iOS 17.4`.
    public let osVersion: String
    /// The country it was last seen in, ISO 3166-1 alpha-2.
    public let countryCode: String
    /// When it was signed in.
    public let createdAt: String
    /// When it last refreshed.
    public let lastSeenAt: String
    /// When it ends if it is not used again.
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
    /// The kinds that the service tells apart.
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
    /// One session, by `PreludeSessionView.id`.
    case session(id: String)
}
