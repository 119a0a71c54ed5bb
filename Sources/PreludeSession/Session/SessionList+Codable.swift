internal import SessionWire

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
