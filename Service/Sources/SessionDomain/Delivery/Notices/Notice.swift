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
        case passkeyAdded = "passkey_added"
        case passkeyRemoved = "passkey_removed"
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

/// What a notice reports.
package enum NoticeOccasion: Sendable, Equatable {
    /// - Parameter provenBy: The identifier whose code the login had. It gets no notice: the person who signed in reads its
    ///   messages.
    case newDevice(Device, provenBy: IdentifierDigest?)
    case identifierAdded(CanonicalIdentifier)
    case identifierRemoved(CanonicalIdentifier)
    case passwordChanged
    case passkeyAdded
    case passkeyRemoved
    /// - Parameter session: The device of the session that ended.
    case sessionEnded(Device)

    package var kind: Notice.Kind {
        switch self {
        case .newDevice: .newDevice
        case .identifierAdded: .identifierAdded
        case .identifierRemoved: .identifierRemoved
        case .passwordChanged: .passwordChanged
        case .passkeyAdded: .passkeyAdded
        case .passkeyRemoved: .passkeyRemoved
        case .sessionEnded: .sessionsEnded
        }
    }

    /// The identifiers that get the notice, those that the user has had longest first.
    ///
    /// A held identifier gets none: a hijacked session may have added it. One that was removed gets the notice of
    /// its removal, held or not.
    ///
    /// - Parameters:
    ///   - user: Before the change.
    ///   - limits: No message goes to a country to which the app sends no codes.
    package func recipients(of user: User, limits: LimitSettings, at now: Timestamp) -> [CanonicalIdentifier] {
        var recipients = user.establishedIdentifiers(at: now)
        switch self {
        case .newDevice(_, let proven): recipients.removeAll { IdentifierDigest($0) == proven }
        case .identifierAdded(let added): recipients.removeAll { $0 == added }
        case .identifierRemoved(let removed):
            recipients.removeAll { $0 == removed }
            // First, so that a limit of recipients never leaves it out.
            recipients.insert(user.identifiers.first { $0 == removed } ?? removed, at: 0)
        case .passwordChanged, .passkeyAdded, .passkeyRemoved, .sessionEnded: break
        }
        return Array(recipients.filter(limits.allows).prefix(Notice.maximumRecipients))
    }

    /// What the variables of the template stand for.
    package func values(at now: Timestamp) -> TemplateValues {
        var values = TemplateValues()
        values.time = now
        switch self {
        case .newDevice(let device, _), .sessionEnded(let device): values.device = DeviceKind(device)
        case .identifierAdded(let identifier), .identifierRemoved(let identifier):
            values.identifier = identifier.maskedInMessages
        case .passwordChanged, .passkeyAdded, .passkeyRemoved: break
        }
        return values
    }
}

extension CanonicalIdentifier {
    /// As `masked`, in characters of the GSM alphabet where possible.
    ///
    /// Of the domain of an address only the first letter and the last label are shown, `m***@e***.com`: a thief can add an
    /// address whose domain is a sentence or a link. A label with other letters than ASCII has the form `xn--`, or is `***`.
    fileprivate var maskedInMessages: String {
        guard type == .emailAddress else { return String(masked.map { $0 == "•" ? "*" : $0 }) }
        let parts = masked.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let first = parts[1].first else { return "***" }
        let last = parts[1].split(separator: ".").last ?? ""
        let shown = last.count <= 10 && last.allSatisfy { $0.isASCII && $0.isLetter } ? String(last) : "***"
        return "\(parts[0])@\(first.isASCII ? String(first) : "")***.\(shown)"
    }
}

/// Creates the notices of one request. Intents carry it, as they carry the factory of events.
package struct NoticeFactory: Sendable {
    private let settings: NoticeSettings
    private let limits: LimitSettings
    private let logins: [OTPLoginConfig]
    private let locales: [String]
    private let context: EventContext
    private let environment: ServiceEnvironment

    /// - Parameters:
    ///   - locales: The languages that the request of the user asks for. The default is those of the current task. Without
    ///     any, as in a call of an operator, the language of the user counts.
    ///   - context: Who causes the changes. The default is the context of the current task.
    package init(
        _ app: App, environment: ServiceEnvironment, locales: [String] = RequestedLanguages.current,
        context: EventContext = .current
    ) {
        settings = app.messages.notices
        limits = app.otpLimits
        logins = app.otpLogins
        self.locales = locales
        self.context = context
        self.environment = environment
    }

    /// The changes that count and queue a notice, in the transaction of the change that it reports.
    ///
    /// The list is empty in these cases. The change itself does not depend on it.
    /// - The app has turned this kind off.
    /// - The user is not active, or has no other identifier.
    /// - The user has reached `LimitSettings.noticesPerDay` for this kind.
    /// - The app has reached its limit of messages in a day. If it has one left, all messages of the notice are sent.
    ///
    /// When an SMS would exceed the daily limit of its country, only the mails remain.
    ///
    /// - Parameter user: Before the change.
    package func changes(
        _ occasion: NoticeOccasion, to user: User, _ failures: GuardFailures, at now: Timestamp
    ) -> [Change] {
        let counter = CounterKey.notices(userID: user.id, occasion.kind)
        guard failures.limit(of: counter) == nil, let notice = notice(occasion, to: user, at: now) else { return [] }
        let budget = CallBudget(.resend, limits: limits, device: nil, now: now)
        let all = notice.messages.map { ($0, budget.notice(to: $0.recipient)) }
        let spent = Set(all.filter { failures.reached($0.1) != nil }.map(\.0.channel))
        let paid = all.filter { !spent.contains($0.0.channel) }
        guard !paid.isEmpty else { return [] }
        // Several messages may spend one counter. The last ones may pass its limit: a change that would fail would undo what it
        // reports.
        let slack = paid.count - 1
        return [
            .count(counter, app: user.appID, limit: RateLimit(limit: limits.noticesPerDay, window: 86_400), now: now)
        ]
            + paid.flatMap { message, counters in
                counters.map { $0.raised(by: slack).counted(app: user.appID) } + [.insertMessage(message)]
            }
    }

    /// - Returns: `nil` if there is nothing to send.
    package func notice(_ occasion: NoticeOccasion, to user: User, at now: Timestamp) -> Notice? {
        guard settings.isOn(occasion.kind), user.status == .active else { return nil }
        let recipients = occasion.recipients(of: user, limits: limits, at: now)
        guard !recipients.isEmpty else { return nil }
        return Notice(
            occasion.kind, appID: user.appID, userID: user.id,
            recipients: recipients.map { identifier in
                Notice.Recipient(
                    identifier, messageID: environment.newID("msg"), senderID: senderID(reaching: identifier.type))
            }, values: occasion.values(at: now),
            locales: locales.isEmpty ? user.locale.map { [$0] } ?? [] : locales, context: context, createdAt: now)
    }

    private func senderID(reaching type: IdentifierType) -> String? {
        let fitting = logins.filter { $0.channel.identifierType == type }
        return (fitting.first(where: \.isDefault) ?? fitting.first)?.senderID
    }
}

/// The notice of a login from a device on which the user has not signed in before.
package struct NewDeviceNotice: Sendable {
    private let notices: NoticeFactory
    private let provenBy: IdentifierDigest?

    package init(_ notices: NoticeFactory, provenBy: IdentifierDigest?) {
        self.notices = notices
        self.provenBy = provenBy
    }

    /// - Parameter device: The device of the new session.
    func changes(_ device: Device, to user: User, _ failures: GuardFailures, at now: Timestamp) -> [Change] {
        notices.changes(.newDevice(device, provenBy: provenBy), to: user, failures, at: now)
    }
}

extension ChallengeClaims {
    /// - Returns: `nil` for a known device, for a user whom the login created, and for a migration: its device has been
    ///   signed in to the earlier system.
    func newDeviceNotice(from app: App, environment: ServiceEnvironment) -> NewDeviceNotice? {
        guard isKnownDevice != true, isNewUser != true, method != .migration else { return nil }
        return NewDeviceNotice(NoticeFactory(app, environment: environment), provenBy: provenIdentifier)
    }
}
