internal import SessionTokens

/// Chooses the configuration that sends a code, issues the code, and drafts its message.
struct CodeSender: Sendable {
    let keys: KeyRing
    let routes: any MessageRoutes
    let environment: ServiceEnvironment
    /// Delivers the messages.
    let worker: OutboxWorker<MessageOutbox>
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
    /// - Parameter leaseEnd: What `OutboxWorker.delivering` passes.
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

/// The hook of an app that decides whether a code is sent.
package struct SendHookConfig: Sendable, Equatable, Codable {
    /// What happens to a code if the hook gives no valid answer in time.
    package enum Fallback: String, Sendable, Codable {
        case allow, deny
    }

    package var url: String
    package var ifUnavailable: Fallback

    package init(url: String, ifUnavailable: Fallback = .allow) {
        self.url = url
        self.ifUnavailable = ifUnavailable
    }
}

/// What the backend of an app learns about a code before it is sent.
package struct SendRequest: Sendable {
    package let purpose: LoginPurpose
    package let isResend: Bool
    package let identifier: CanonicalIdentifier
    package let client: ClientFacts
    /// The id of the signals that the client has collected. The client chooses the text.
    package let dispatchID: String?

    package init(
        _ purpose: LoginPurpose, isResend: Bool = false, to identifier: CanonicalIdentifier, client: ClientFacts,
        dispatchID: String?
    ) {
        self.purpose = purpose
        self.isResend = isResend
        self.identifier = identifier
        self.client = client
        self.dispatchID = dispatchID
    }
}

/// Asks the operator's backend whether a code is sent. It is asked after the limits, so that a client cannot make it work
/// without end, and learns nothing about the user, so that the answer to the client does not tell whether there is one.
struct SendHook: Sendable {
    let call: HookCall
    let slots: AppSlots
    let store: any IntentStore
    let environment: ServiceEnvironment

    static let agent = "Prelude-SessionSendHook/1.0"
    /// Seconds for the whole call: a person waits for the code.
    static let timeout = 2

    private struct Body: Encodable {
        let purpose: String
        let isResend: Bool
        let identifier: Identifier
        let signals: Signals
        let dispatchID: String?

        struct Identifier: Encodable {
            let type: String
            let value: String
            let callingCode: String?
            let country: String?
            let lineType: String?

            private enum CodingKeys: String, CodingKey {
                case type, value, country
                case callingCode = "calling_code"
                case lineType = "line_type"
            }

            init(_ identifier: CanonicalIdentifier) {
                type = identifier.type.rawValue
                value = identifier.value
                let number = identifier.type == .phoneNumber ? identifier.canonical : nil
                callingCode = number.map(CallingCode.of)
                country = number.flatMap(NumberingPlan.country)
                lineType = number.flatMap(NumberingPlan.isMobile).map { $0 ? "mobile" : "other" }
            }
        }

        private enum CodingKeys: String, CodingKey {
            case purpose, identifier, signals
            case isResend = "is_resend"
            case dispatchID = "dispatch_id"
        }
    }

    /// - Returns: Why no code is sent. `nil`: it is sent.
    func refusal(of request: SendRequest, app: AppRuntime) async throws -> LoginFailure? {
        guard let config = app.settings.otpLimits.sendHook else { return nil }
        let body = Body(
            purpose: request.purpose.rawValue, isResend: request.isResend, identifier: .init(request.identifier),
            signals: Signals(request.client), dispatchID: request.dispatchID)
        do {
            let answer = try await call.answer(
                to: body, url: config.url, agent: Self.agent, timeout: Self.timeout, app: app, at: slots)
            return try HookAnswer.sendRefusal(answer)
        } catch let failure as HookFailure {
            let events = EventFactory(appID: app.settings.id, environment: environment)
            try await store.perform(ReportSendHookFailure(failure, now: environment.now(), events: events))
            return config.ifUnavailable == .allow ? nil : .sendDenied
        }
    }
}

/// Reports a send hook that fails: each reason once a minute, because strangers can make any number of calls.
struct ReportSendHookFailure: Intent {
    let failure: HookFailure
    let now: Timestamp
    let events: EventFactory

    init(_ failure: HookFailure, now: Timestamp, events: EventFactory) {
        self.failure = failure
        self.now = now
        self.events = events
    }

    var reads: Read<GuardFailures> { Read(app: events.appID, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<Void> {
        let minute = now.seconds / 60
        let key = "send_hook.failed/\(failure.rawValue)/\(minute)"
        guard !failures.isTaken(.redemption(key)) else { return Decision(()) }
        return Decision(
            (),
            [
                .redeem(key, until: Timestamp(seconds: (minute + 1) * 60), app: events.appID),
                .append(
                    events.make(
                        .sendHookFailed, ["reason": .string(failure.rawValue)], reporting: .hookFailed(failure))),
            ])
    }
}

/// Counts a code that the send hook refused as one of the caller's own, and reports it. It takes nothing of what all callers
/// share, because nothing is sent.
struct CountRefusedSend: Intent {
    let appID: AppID
    /// `nil` for a step, whose session pays.
    let budget: FactQuery.BudgetSelector?
    let counters: @Sendable (KnownDevice.Standing) -> [FactQuery.CounterSelector]
    let event: Event

    struct Facts: Sendable {
        let standing: KnownDevice.Standing
        let failures: GuardFailures
    }

    var reads: Read<Facts> { Read(app: appID, .budget(budget), .failures, as: Facts.init) }

    func decide(_ facts: Facts) -> Decision<Void> {
        let own = counters(facts.standing).filter { $0.limit.refill == nil }
        // Calls at the same time were all asked for. What one limit refuses spends none of the others.
        guard facts.failures.reached(own) == nil else { return Decision((), [.append(event)]) }
        return Decision((), own.map { $0.counted(app: appID) } + [.append(event)])
    }
}

/// What hooks learn about a client.
struct Signals: Encodable {
    let userAgent: String
    let platform: String
    let ip: String

    private enum CodingKeys: String, CodingKey {
        case platform, ip
        case userAgent = "user_agent"
    }

    init(_ client: ClientFacts) {
        userAgent = client.userAgent
        platform = client.platform
        ip = client.ip
    }
}
