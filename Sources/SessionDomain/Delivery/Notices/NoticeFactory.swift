/// Creates the notices of one request. Intents carry it, as they carry the factory of events.
package struct NoticeFactory: Sendable {
    private let settings: NoticeSettings
    private let limits: OTPLimits
    private let templates: MessageTemplates
    private let requested: [String]
    private let environment: ServiceEnvironment

    /// - Parameter requested: The languages that the request asks for. The default is those of the current task.
    package init(
        _ app: App, environment: ServiceEnvironment, requested: [String] = RequestedLanguages.current
    ) {
        self.environment = environment
        settings = app.messages.notices
        limits = app.otpLimits
        templates = MessageTemplates(app)
        self.requested = requested
    }

    /// The changes that count and queue a notice, in the transaction of the change that it reports.
    ///
    /// There are none if the app has turned this kind off, if the user is not active or has no other identifier, and if the
    /// user has had as many notices of this kind as are allowed. Then the change itself is made all the same.
    ///
    /// - Parameter user: Before the change.
    package func changes(
        _ occasion: NoticeOccasion, to user: User, _ facts: Facts, at now: Timestamp
    ) -> [Change] {
        let counter = CounterKey.notices(userID: user.id, occasion.kind)
        guard facts.limit(of: counter) == nil, let notice = notice(occasion, to: user, at: now) else { return [] }
        return [.count(counter, app: user.appID, limit: Notice.limit, now: now), .queueNotice(notice)]
    }

    /// - Returns: `nil` if there is nothing to send.
    package func notice(_ occasion: NoticeOccasion, to user: User, at now: Timestamp) -> Notice? {
        let kind = occasion.kind
        guard settings.isOn(kind), user.status == .active else { return nil }
        let recipients = occasion.recipients(of: user, limits: limits, at: now)
        guard !recipients.isEmpty else { return nil }
        return Notice(
            kind, appID: user.appID, userID: user.id,
            recipients: recipients.map { identifier in
                let channel = OTPLoginConfig.Channel(reaching: identifier.type)
                return Notice.Recipient(
                    identifier, messageID: environment.newID("msg"),
                    locale: templates.locale(TemplatePurpose(kind), channel, requested: requested))
            }, values: occasion.values(at: now), createdAt: now)
    }
}
