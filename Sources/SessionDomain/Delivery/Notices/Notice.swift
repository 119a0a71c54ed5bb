/// A message to a user about a change of the account, so that its owner learns of a change by a thief.
///
/// It contains no link and asks for nothing: users learn from such messages to follow those of a thief.
package struct Notice: Sendable, Equatable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// A login from a device that is not known.
        case newDevice = "new_device"
        case identifierAdded = "identifier_added"
        case identifierRemoved = "identifier_removed"
        case passwordChanged = "password_changed"
        /// A session ended because its refresh token was used by two holders.
        case sessionsEnded = "sessions_ended"
    }

    /// One message: where it goes, and in which language.
    package struct Recipient: Sendable, Equatable {
        /// `msg_…`, the id of the message.
        package let messageID: String
        package let identifier: CanonicalIdentifier
        package let locale: MessageLocale

        package init(_ identifier: CanonicalIdentifier, messageID: String, locale: MessageLocale) {
            self.messageID = messageID
            self.identifier = identifier
            self.locale = locale
        }
    }

    /// Seconds after which a notice that could not be sent is dropped.
    package static let lifetime = 86_400
    /// Notices of one kind to one user. Each goes to all of its recipients.
    package static let limit = RateLimit(limit: 5, window: 86_400)
    /// The identifiers that get a notice at most, because each message costs the operator money.
    package static let maximumRecipients = 5

    package let kind: Kind
    package let appID: AppID
    package let userID: String
    /// One message is sent to each.
    package let recipients: [Recipient]
    package let values: TemplateValues
    package let createdAt: Timestamp

    package init(
        _ kind: Kind, appID: AppID, userID: String, recipients: [Recipient], values: TemplateValues,
        createdAt: Timestamp
    ) {
        self.kind = kind
        self.appID = appID
        self.userID = userID
        self.recipients = recipients
        self.values = values
        self.createdAt = createdAt
    }

    package var expiresAt: Timestamp { createdAt + Self.lifetime }
}
