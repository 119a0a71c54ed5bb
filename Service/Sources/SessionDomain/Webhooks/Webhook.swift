/// A URL of an operator that receives events.
package struct Webhook: Sendable, Equatable, Identifiable {
    package enum Status: String, Sendable, Codable {
        /// The endpoint has not confirmed the activation yet.
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
    /// Sent with the activation request, so that the endpoint can recognize it.
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

    /// Maximum number of webhooks of an app.
    package static let maximumPerApp = 10

    /// The events of a webhook whose operator names none.
    package static let standardEvents: [Event.Name] = [
        .userCreated, .userDeleted, .profileUpdated, .identifierCreated, .identifierDeleted, .sessionCreated,
        .sessionRevoked, .stepUpHookFailed,
    ]

    /// Events that are sent only if the operator names them.
    package static let furtherEvents: [Event.Name] = [
        .userStatusChanged, .limitsCleared, .passwordChanged, .stepUpGranted, .refreshTokenReused, .sessionRecovered,
        .migrationHookFailed, .sendHookFailed, .signingKeyRotated, .signingKeyRemoved, .signingKeyResealed,
        .externalIDUpdated,
        .loginFailed, .loginLimited, .loginsVoided, .codeSent, .codeFailed, .noticeSent, .noticeFailed, .appUpdated,
        .sessionsRevoked,
        .managementKeyCreated, .managementKeyRevoked, .webhookCreated, .webhookUpdated, .webhookActivated,
        .webhookDeleted, .webhookResent, .consoleSignedIn, .consoleSignedOut, .consoleConfirmed,
        .consoleConfirmationFailed, .deliveryTested, .userExported, .eventsExported, .developmentTokenIssued,
    ]
}
