/// Creates the notices of one request. Intents carry it, as they carry the factory of events.
package struct NoticeFactory: Sendable {
    private let settings: NoticeSettings
    private let limits: OTPLimits
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
    /// - The user has reached `OTPLimits.noticesPerDay` for this kind.
    /// - The app has reached its limit of messages in a day. If it has one left, all messages of the notice are sent.
    ///
    /// When an SMS would exceed the daily limit of its country, only the mails remain.
    ///
    /// - Parameter user: Before the change.
    package func changes(
        _ occasion: NoticeOccasion, to user: User, _ facts: Facts, at now: Timestamp
    ) -> [Change] {
        let counter = CounterKey.notices(userID: user.id, occasion.kind)
        guard facts.limit(of: counter) == nil, let notice = notice(occasion, to: user, at: now) else { return [] }
        let budget = CallBudget(.resend, limits: limits, device: nil, now: now)
        let all = notice.messages.map { ($0, budget.notice(to: $0.recipient)) }
        let spent = Set(all.filter { facts.reached($0.1) != nil }.map(\.0.channel))
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
