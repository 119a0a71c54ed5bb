public import Foundation
internal import SessionWire

/// Which page of the session list to fetch.
public struct ListSessionsOptions: Sendable, Hashable, Codable {
    /// The size of the page, 1–100. `nil` is the service's default, 10.
    public var limit: Int?
    /// How many sessions to skip. `nil` is none.
    public var offset: Int?

    /// Creates the options of a page.
    ///
    /// - Parameters:
    ///   - limit: The size of the page, 1–100. `nil` is the service's default, 10.
    ///   - offset: How many sessions to skip, 0 or more. `nil` is none.
    public init(limit: Int? = nil, offset: Int? = nil) {
        self.limit = limit
        self.offset = offset
    }
}

/// A page of the user's sessions, last seen first.
public struct ListSessionsResponse: Sendable, Hashable {
    /// The sessions of this page.
    public var sessions: [PreludeSessionView]
    /// The number of all sessions.
    public var total: Int
    /// The requested size of the page.
    public var limit: Int
    /// How many sessions were skipped.
    public var offset: Int

    /// Creates a page, for previews and tests.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of this page.
    ///   - total: The number of all sessions; `nil` is that of this page.
    ///   - limit: The requested size of the page.
    ///   - offset: How many sessions were skipped.
    public init(sessions: [PreludeSessionView], total: Int? = nil, limit: Int = 10, offset: Int = 0) {
        self.sessions = sessions
        self.total = total ?? sessions.count
        self.limit = limit
        self.offset = offset
    }

    init(_ body: SessionListResponse) {
        self.init(
            sessions: body.sessions.map(PreludeSessionView.init), total: body.total, limit: body.limit,
            offset: body.offset)
    }
}

/// A session of the user on one device. Times are RFC 3339 strings as the server sent them; `createdDate`, `lastSeenDate`
/// and `expiryDate` are the same as dates. Unknown values are empty.
public struct PreludeSessionView: Sendable, Hashable, Identifiable {
    /// The session's id, `ses_…`, for `RevokeTarget.session(id:)`.
    public var id: String
    /// The model, such as `iPhone` or `Mac`.
    public var deviceModel: String
    /// The type of device.
    public var deviceType: PreludeDeviceType
    /// The operating system and its version, such as `iOS 17.4`.
    public var osVersion: String
    /// The country of its last request, ISO 3166-1 alpha-2.
    public var countryCode: String
    /// When the user signed in.
    public var createdAt: String
    /// When it was last refreshed.
    public var lastSeenAt: String
    /// When it expires if it is not used again.
    public var expiresAt: String

    /// Creates a session, for previews and tests. Times are RFC 3339.
    ///
    /// - Parameters:
    ///   - id: The session's id, `ses_…`.
    ///   - deviceModel: The model, such as `iPhone`.
    ///   - deviceType: The type of device.
    ///   - osVersion: The operating system and its version, such as `iOS 17.4`.
    ///   - countryCode: ISO 3166-1 alpha-2.
    ///   - createdAt: When the user signed in.
    ///   - lastSeenAt: When it was last refreshed.
    ///   - expiresAt: When it expires if it is not used again.
    public init(
        id: String, deviceModel: String = "", deviceType: PreludeDeviceType = .unknown, osVersion: String = "",
        countryCode: String = "", createdAt: String = "", lastSeenAt: String = "", expiresAt: String = ""
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

    init(_ body: SessionView) {
        self.init(
            id: body.id, deviceModel: body.deviceModel,
            deviceType: PreludeDeviceType(rawValue: body.deviceType) ?? .unknown, osVersion: body.osVersion,
            countryCode: body.countryCode, createdAt: body.createdAt, lastSeenAt: body.lastSeenAt,
            expiresAt: body.expiresAt)
    }
}

/// The type of a device. A type that this version of the SDK does not know is `unknown`.
public enum PreludeDeviceType: String, Sendable, Hashable, CaseIterable {
    /// The types that the service distinguishes.
    case desktop, mobile, tablet, unknown
}

/// Which sessions to revoke.
public enum RevokeTarget: Sendable, Hashable {
    /// Every session of the user, this one included.
    case all
    /// Every session except this one.
    case others
    /// This session.
    case mine
    /// One session, by `PreludeSessionView.id`.
    case session(id: String)
}

// The encoded forms are those of the protocol, so an app can decode what its backend passes on, and store a page.

extension PreludeSessionView: Codable {
    /// Decodes a session in the form of the service's response.
    public init(from decoder: any Decoder) throws { self.init(try SessionView(from: decoder)) }

    /// Encodes the session in the form of the service's response.
    public func encode(to encoder: any Encoder) throws { try wire.encode(to: encoder) }

    fileprivate var wire: SessionView {
        SessionView(
            id: id, deviceModel: deviceModel, deviceType: deviceType.rawValue, osVersion: osVersion,
            countryCode: countryCode, createdAt: createdAt, lastSeenAt: lastSeenAt, expiresAt: expiresAt)
    }
}

extension ListSessionsResponse: Codable {
    /// Decodes a page in the form of the service's response.
    public init(from decoder: any Decoder) throws { self.init(try SessionListResponse(from: decoder)) }

    /// Encodes the page in the form of the service's response.
    public func encode(to encoder: any Encoder) throws {
        try SessionListResponse(sessions: sessions.map(\.wire), total: total, limit: limit, offset: offset)
            .encode(to: encoder)
    }
}

extension PreludeDeviceType: Codable {
    /// Decodes a type. A type that this version of the SDK does not know becomes `unknown`.
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

extension PreludeSessionView {
    /// `createdAt` as a date. `nil` if the server sent none.
    public var createdDate: Date? { Self.date(createdAt) }

    /// `lastSeenAt` as a date. `nil` if the server sent none.
    public var lastSeenDate: Date? { Self.date(lastSeenAt) }

    /// `expiresAt` as a date. `nil` if the server sent none.
    public var expiryDate: Date? { Self.date(expiresAt) }

    /// Reads an RFC 3339 time, with or without fractions of a second.
    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
