/// Messages to a user about a change of the account, so that its owner learns of a change by a thief.
///
/// A notice contains no link and asks for nothing: users learn from such messages to follow those of a thief.
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

    /// The receiver of one message.
    package struct Recipient: Sendable, Equatable {
        /// `msg_…`, the id of the message.
        package let messageID: String
        package let identifier: CanonicalIdentifier
        /// The sender of the channel's default login.
        package let senderID: String?

        package init(_ identifier: CanonicalIdentifier, messageID: String, senderID: String? = nil) {
            self.messageID = messageID
            self.identifier = identifier
            self.senderID = senderID
        }
    }

    /// Seconds after which a message that could not be sent is dropped.
    package static let lifetime = 86_400
    /// The identifiers that get a notice at most, because each message costs the operator money.
    package static let maximumRecipients = 5

    package let kind: Kind
    package let appID: AppID
    package let userID: String
    package let recipients: [Recipient]
    package let values: TemplateValues
    /// The languages that the request asks for, in order of preference.
    package let locales: [String]
    /// Who caused the change. The event about the sending shows it.
    package let context: EventContext
    package let createdAt: Timestamp

    package init(
        _ kind: Kind, appID: AppID, userID: String, recipients: [Recipient], values: TemplateValues,
        locales: [String] = [], context: EventContext = .current, createdAt: Timestamp
    ) {
        self.kind = kind
        self.appID = appID
        self.userID = userID
        self.recipients = recipients
        self.values = values
        self.locales = locales
        self.context = context
        self.createdAt = createdAt
    }

}

extension Notice {
    /// One message for each recipient.
    var messages: [QueuedMessage] {
        recipients.map { recipient in
            QueuedMessage(
                id: recipient.messageID, appID: appID, recipient: recipient.identifier,
                content: MessageContent(
                    purpose: .notice, code: nil, values: stored, locales: locales,
                    sender: MessageSender(senderID: recipient.senderID), userID: userID),
                context: context, createdAt: createdAt, expiresAt: createdAt + Self.lifetime)
        }
    }

    private static let kindName = "notice"

    /// What each message stores: the kind, and the values of the template.
    package var stored: [String: String] {
        values.stored.merging([Self.kindName: kind.rawValue]) { value, _ in value }
    }

    /// The kind of a stored message. `nil`: it is no notice.
    static func kind(stored: [String: String]) -> Kind? { stored[kindName].flatMap(Kind.init) }
}
