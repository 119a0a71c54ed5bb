internal import SessionTokens

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
    let places: AppPlaces
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
                to: body, url: config.url, agent: Self.agent, timeout: Self.timeout, app: app, at: places)
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

    var facts: FactQuery { FactQuery(app: events.appID) }

    func decide(_ facts: Facts) -> Decision<Void> {
        let minute = now.seconds / 60
        let key = "send_hook.failed/\(failure.rawValue)/\(minute)"
        guard !facts.isTaken(.redemption(key)) else { return Decision(()) }
        return Decision(
            (),
            [
                .redeem(key, until: Timestamp(seconds: (minute + 1) * 60), app: events.appID),
                .append(events.make(.sendHookFailed, ["reason": .string(failure.rawValue)])),
            ])
    }
}

/// Counts a code that the send hook refused as one of the caller's own, and reports it. It takes nothing of what all callers
/// share, because nothing is sent.
struct CountRefusedSend: Intent {
    let appID: AppID
    /// `nil` for a step, whose session pays.
    let budget: FactQuery.BudgetSelector?
    let counters: @Sendable (Facts) -> [FactQuery.CounterSelector]
    let event: Event

    var facts: FactQuery { FactQuery(app: appID) { $0.budget = budget } }

    func decide(_ facts: Facts) -> Decision<Void> {
        let own = counters(facts).filter { $0.limit.refill == nil }
        // Calls at the same time were all asked for. What one limit refuses spends none of the others.
        guard facts.reached(own) == nil else { return Decision((), [.append(event)]) }
        return Decision((), own.map { $0.counted(app: appID) } + [.append(event)])
    }
}
