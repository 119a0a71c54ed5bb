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
