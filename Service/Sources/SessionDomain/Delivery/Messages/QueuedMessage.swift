package import SessionTokens

/// A message that a commit wrote and the worker sends, as it is stored.
package struct QueuedMessage: Sendable, Equatable {
    package enum Status: String, Sendable, Codable {
        case pending
        /// A route is responsible for it.
        case sent
        /// No route took it in time. It is not tried again.
        case failed
        /// It was never to be sent.
        case withheld
    }

    /// `msg_` and a ULID. It stays the same over all attempts and routes.
    package let id: String
    package let appID: AppID
    package let recipient: CanonicalIdentifier
    package let content: MessageContent
    /// The context of the call that asked for the message, for the event about its result.
    package let context: EventContext
    package let createdAt: Timestamp
    /// The end of the code's life. The message is not sent from then on.
    package let expiresAt: Timestamp
    package var status: Status
    /// The position of the route that is tried next.
    package var route: Int
    /// The positions of the routes that never take this message.
    package var rejectedRoutes: Set<Int>
    package var attempts: Int
    /// When a pending message is due, or when its lease ends.
    package var nextAttemptAt: Timestamp
    package var lastFailure: MessageFailure?

    package init(
        id: String, appID: AppID, recipient: CanonicalIdentifier, content: MessageContent, context: EventContext,
        createdAt: Timestamp, expiresAt: Timestamp, status: Status = .pending, route: Int = 0,
        rejectedRoutes: Set<Int> = [], attempts: Int = 0, nextAttemptAt: Timestamp? = nil,
        lastFailure: MessageFailure? = nil
    ) {
        self.id = id
        self.appID = appID
        self.recipient = recipient
        self.content = content
        self.context = context
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.status = status
        self.route = route
        self.rejectedRoutes = rejectedRoutes
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt ?? createdAt
        self.lastFailure = lastFailure
    }

    package var channel: OTPLoginConfig.Channel { .init(reaching: recipient.type) }

    /// Seconds for which the code is valid from now on, in steps of a minute: a text says minutes, and the first attempt is
    /// a moment after the commit.
    package func lifetime(at now: Timestamp) -> Int {
        let minutes = (expiresAt.milliseconds - now.milliseconds + 30_000) / 60_000
        return Int(max(1, minutes)) * 60
    }
}

/// What a message says and how. It does not contain the code, only what derives it.
package struct MessageContent: Sendable, Equatable, Codable {
    package let purpose: MessagePurpose
    /// Derives the code. `nil` for a notice.
    package let code: CodeSeed?
    /// Values of the template of a notice, by name.
    package let values: [String: String]
    /// Language tags in order of preference (RFC 5646).
    package let locales: [String]
    package let sender: MessageSender
    /// Why the message must not be sent. It is stored all the same, so that the writes do not show that nothing is sent.
    package let withheld: LoginFailure?
    package let userID: String?
    package let sessionID: String?

    package init(
        purpose: MessagePurpose, code: CodeSeed?, values: [String: String] = [:], locales: [String] = [],
        sender: MessageSender = MessageSender(), withheld: LoginFailure? = nil, userID: String? = nil,
        sessionID: String? = nil
    ) {
        self.purpose = purpose
        self.code = code
        self.values = values
        self.locales = locales
        self.sender = sender
        self.withheld = withheld
        self.userID = userID
        self.sessionID = sessionID
    }
}

extension MessageContent {
    /// The part of a stored content that names its user.
    package static func naming(user id: String) -> String { #""userID":"\#(id)""# }
}

extension MessageContent: JSONWritable {
    package func write(into json: inout JSONWriter) {
        if let code { json.member("code", object: code.write) }
        json.member("locales", strings: locales)
        json.member("purpose", purpose.rawValue)
        json.member(
            "sender",
            object: {
                $0.member("senderID", sender.senderID)
                $0.member("templateID", sender.templateID)
            })
        json.member("sessionID", sessionID)
        json.member("userID", userID)
        json.member("values", texts: values)
        json.member("withheld", withheld?.rawValue)
    }
}

/// What a login configuration says about its messages.
package struct MessageSender: Sendable, Equatable, Codable {
    package var senderID: String?
    package var templateID: String?

    package init(senderID: String? = nil, templateID: String? = nil) {
        self.senderID = senderID
        self.templateID = templateID
    }
}

/// Why a message was not sent, as it is stored and reported.
package struct MessageFailure: Sendable, Equatable, Codable {
    /// The stage of a message that expired before it was tried.
    package static let expiredStage = "expired"
    /// The stage of a message that no route can be asked for.
    package static let configurationStage = "configuration"

    /// The name of the route. `nil` if none was tried.
    package let route: String?
    /// A `SendingFailure.Stage`, `expiredStage` or `configurationStage`.
    package let stage: String
    /// It contains no code and no recipient.
    package let reason: String
    /// Whether this attempt or an earlier one may have sent the message.
    package var mayBeSent: Bool

    package init(route: String?, stage: String, reason: String, mayBeSent: Bool = false) {
        self.route = route
        self.stage = stage
        self.reason = reason
        self.mayBeSent = mayBeSent
    }

    static func configuration(_ reason: String) -> MessageFailure {
        MessageFailure(route: nil, stage: configurationStage, reason: reason)
    }
}

/// Messages that wait for the same route. Queues do not wait for each other.
package struct MessageQueue: Sendable, Hashable, Identifiable {
    package let appID: AppID
    package let channel: OTPLoginConfig.Channel
    /// The position of the route.
    package let route: Int

    package init(appID: AppID, channel: OTPLoginConfig.Channel, route: Int) {
        self.appID = appID
        self.channel = channel
        self.route = route
    }

    package var id: MessageQueue { self }
}

/// Why a message is sent. Each purpose has templates of its own.
package enum MessagePurpose: String, Sendable, Codable, CaseIterable {
    case signIn = "sign_in"
    case stepUp = "step_up"
    /// A code to an identifier that the user wants to add.
    case newIdentifier = "new_identifier"
    /// Tells the user about a change of the account.
    case notice
}

/// What a call knows about a message before the store is read: everything but the recipient and the code.
package struct MessageDraft: Sendable, Equatable {
    package let id: String
    /// Language tags in order of preference (RFC 5646).
    package let locales: [String]
    /// For each channel that may be chosen.
    package let senders: [OTPLoginConfig.Channel: MessageSender]
    package let context: EventContext
    /// The end of the lease, if this process delivers the message directly after the commit. `nil`: it is due at once.
    package let leaseEnd: Timestamp?

    package init(
        id: String, locales: [String] = [], senders: [OTPLoginConfig.Channel: MessageSender] = [:],
        context: EventContext = .current, leaseEnd: Timestamp? = nil
    ) {
        self.leaseEnd = leaseEnd
        self.id = id
        self.locales = locales
        self.senders = senders
        self.context = context
    }

    /// The message with the newest code of a verification.
    ///
    /// - Parameter withheld: Why it must not be sent. `nil` to send it.
    package func code(
        of verification: Verification, for subject: LoginSubject, withheld: LoginFailure? = nil, at now: Timestamp
    ) -> QueuedMessage {
        let channel = OTPLoginConfig.Channel(reaching: verification.identifier.type)
        return QueuedMessage(
            id: id, appID: verification.appID, recipient: verification.identifier,
            content: MessageContent(
                purpose: MessagePurpose(subject.purpose), code: verification.code.seed, locales: locales,
                sender: senders[channel] ?? MessageSender(), withheld: withheld, userID: subject.userID,
                sessionID: subject.sessionID),
            context: context, createdAt: now, expiresAt: verification.code.expiresAt, nextAttemptAt: leaseEnd)
    }
}

extension OTPLoginConfig.Channel {
    /// The channel that reaches a kind of identifier.
    package init(reaching type: IdentifierType) {
        switch type {
        case .phoneNumber: self = .sms
        case .emailAddress: self = .email
        }
    }
}

extension MessagePurpose {
    init(_ purpose: LoginPurpose) {
        switch purpose {
        case .login: self = .signIn
        case .stepUp: self = .stepUp
        case .register: self = .newIdentifier
        }
    }
}

/// When a pending message is due: from its time on, and also when that is so far ahead that the clock must have been set
/// back meanwhile.
package struct DueTimes: Sendable, Equatable {
    /// Seconds. No message waits longer than a lease or the longest back-off, with a margin for small corrections of the
    /// clock.
    private static let longestWait = 120

    package let now: Timestamp
    /// What is due later than this is due now.
    package let horizon: Timestamp

    package init(now: Timestamp) {
        self.now = now
        horizon = now + Self.longestWait
    }

    package func contains(_ time: Timestamp) -> Bool { time <= now || time > horizon }
}
