/// Chooses the configuration that sends a code, issues the code, and drafts its message.
struct CodeSender: Sendable {
    let keys: KeyRing
    let routes: any MessageRoutes
    let environment: ServiceEnvironment
    /// Delivers the messages.
    let courier: Courier<MessageOutbox>
    let hook: SendHook
    let store: any IntentStore

    /// Asks the send hook of the app about a code that the limits allow.
    ///
    /// - Parameter refused: What a refused code counts.
    /// - Throws: `Refusal.sendDenied`.
    func askHook(
        _ request: SendRequest, of app: AppRuntime, refused: (LoginFailure) -> CountRefusedSend
    ) async throws {
        guard let failure = try await hook.refusal(of: request, app: app) else { return }
        try await store.perform(refused(failure))
        throw Refusal.sendDenied(needsOtherType: failure == .otherChannel)
    }

    /// - Throws: `Refusal.noLoginConfig` if no delivery by any of these channels is configured.
    func requireDelivery(by channels: [OTPLoginConfig.Channel], app: App) throws(Refusal) {
        guard channels.allSatisfy({ routes.routes(for: app, channel: $0).isEmpty }) else { return }
        let names = channels.map(\.rawValue).joined(separator: " or ")
        throw .noLoginConfig("no delivery of codes by \(names) is configured")
    }

    /// The OTP login for an identifier: the named one, or else the default of the channel.
    func loginConfig(of app: App, for type: IdentifierType, id: String?) throws(Refusal) -> OTPLoginConfig {
        if let id {
            guard let config = app.otpLogins.first(where: { $0.channel.identifierType == type && $0.id == id }) else {
                throw .noLoginConfig("login_config_id names no OTP login for a \(type.rawValue)")
            }
            return config
        }
        guard let config = app.defaultLogin(with: type) else {
            throw .noLoginConfig("OTP login by \(type.rawValue) is not configured")
        }
        return config
    }

    /// Digits of a step-up code: the maximum over the OTP logins of the app, or else 6.
    func codeSize(_ app: App) -> Int { app.otpLogins.map(\.codeSize).max() ?? 6 }

    /// Random bytes that make a code different from the other codes of its verification.
    func newNumber() -> [UInt8] { environment.randomBytes(16) }

    /// A number for `CallBudget.draw`.
    func newDraw() -> Double {
        environment.randomBytes(2).reduce(0) { ($0 + Double($1)) / 256 }
    }

    /// The draft of a message by one login configuration.
    ///
    /// - Parameter leaseEnd: What `Courier.delivering` passes.
    func draft(by config: OTPLoginConfig, locales: [String], leaseEnd: Timestamp? = nil) -> MessageDraft {
        draft([config], locales: locales, leaseEnd: leaseEnd)
    }

    /// The draft of a message whose channel is decided later, by the default configuration of the channel.
    func draft(of app: App, locales: [String]) -> MessageDraft {
        draft(app.otpLogins.sorted { $0.isDefault && !$1.isDefault }, locales: locales)
    }

    /// - Parameter configs: The first of each channel is used.
    private func draft(
        _ configs: [OTPLoginConfig], locales: [String], leaseEnd: Timestamp? = nil
    ) -> MessageDraft {
        let senders = configs.map { config in
            (config.channel, MessageSender(senderID: config.senderID, templateID: config.templateID))
        }
        return MessageDraft(
            id: environment.newID("msg"), locales: locales,
            senders: Dictionary(senders) { first, _ in first }, leaseEnd: leaseEnd)
    }

    /// The answer to a caller for whom no code is sent. Reports and counts a limit once.
    func refusal(_ limit: ReachedLimit, now: Timestamp) -> Refusal {
        if limit.isReported { environment.observer.observe(.budgetSpent(limit.counter.limit)) }
        return limit.refusal(now: now, observer: environment.observer)
    }
}
