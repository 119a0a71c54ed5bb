/// Where an operator wants to hear of events.
package struct Webhook: Sendable, Equatable {
    package enum Status: String, Sendable, Codable {
        /// Until its endpoint has answered the activation.
        case inactive
        case active
    }

    /// `web_` and a ULID.
    package let id: String
    package let appID: AppID
    package var url: String
    /// Names of the events that are sent.
    package var events: [String]
    package var status: Status
    /// Sent along with the activation, so that the endpoint knows that it was meant.
    package let verificationToken: String
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: String, appID: AppID, url: String, events: [String], status: Status = .inactive,
        verificationToken: String, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.id = id
        self.appID = appID
        self.url = url
        self.events = events
        self.status = status
        self.verificationToken = verificationToken
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// Webhooks of one app at most.
    package static let maximumPerApp = 10

    /// What is sent when an operator names no events.
    package static let standardEvents: [Event.Name] = [
        .userCreated, .userDeleted, .profileUpdated, .identifierCreated, .identifierDeleted, .sessionCreated,
        .sessionRevoked, .stepUpHookFailed,
    ]

    /// What can be asked for besides.
    package static let furtherEvents: [Event.Name] = [
        .userStatusChanged, .passwordChanged, .stepUpGranted, .refreshTokenReused, .migrationHookFailed,
        .signingKeyRotated, .signingKeyRemoved,
    ]
}
