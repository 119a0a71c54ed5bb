/// The sessions of a user that a list shows, by their devices. A `nil` member does not restrict them.
package struct SessionFilter: Sendable, Equatable {
    /// What `Device.type` can be.
    package static let deviceTypes = ["desktop", "mobile", "tablet", "unknown"]

    package var deviceID: String?
    package var deviceType: String?
    package var countryCode: String?

    package init(deviceID: String? = nil, deviceType: String? = nil, countryCode: String? = nil) {
        self.deviceID = deviceID
        self.deviceType = deviceType
        self.countryCode = countryCode
    }
}

extension SessionStore {
    /// All live sessions of one user, last seen first.
    package func sessions(
        of userID: String, app: AppID, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int) {
        try await sessions(of: userID, app: app, filter: SessionFilter(), now: now, limit: limit, offset: offset)
    }

    /// All live sessions of one user, last seen first, after a place.
    package func sessions(
        of userID: String, app: AppID, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session] {
        try await sessions(of: userID, app: app, filter: SessionFilter(), now: now, after: place, limit: limit)
    }
}
