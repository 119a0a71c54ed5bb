internal import SessionTokens

/// Asks the operator's backend whether to grant a scope. Every failure blocks the scope and stores an event with the reason.
struct DelegationHook: Sendable {
    let call: HookCall
    let places: AppPlaces
    let store: any IntentStore
    let environment: ServiceEnvironment

    static let agent = "Prelude-SessionStepUpHook/1.0"
    /// Seconds for the whole call.
    static let timeout = 5

    private struct Body: Encodable {
        let scopeRequested: String
        let userID: String
        let identifiers: [Identifier]
        let signals: Signals
        let metadata: [String: String]?

        struct Identifier: Encodable {
            let type: String
            let value: String
        }

        private enum CodingKeys: String, CodingKey {
            case identifiers, signals, metadata
            case scopeRequested = "scope_requested"
            case userID = "user_id"
        }
    }

    /// Posts the request and returns the hook's decision. Identifiers that are held are left out, so that no decision rests
    /// on them.
    ///
    /// - Throws: `Refusal.authBlocked` if the call fails or the answer is invalid.
    func ask(
        _ url: String, scope: String, metadata: StepUpMetadata, caller: SignedIn, app: AppRuntime,
        config: StepUpConfig, client: ClientFacts, now: Timestamp
    ) async throws -> StepUpDecision {
        let body = Body(
            scopeRequested: scope, userID: caller.user.id,
            identifiers: caller.user.establishedIdentifiers(at: now).map {
                .init(type: $0.type.rawValue, value: $0.value)
            },
            signals: Signals(client),
            metadata: metadata.values.isEmpty ? nil : metadata.values)
        do {
            let answer = try await call.answer(
                to: body, url: url, agent: Self.agent, timeout: Self.timeout, app: app, at: places)
            let decision = try HookAnswer.read(answer, knows: config.knows(stepKey:))
            guard ScopeDecider.canDo(decision, caller.user, now: now) else { throw HookFailure.invalidStep }
            return decision
        } catch let failure as HookFailure {
            let events = EventFactory(appID: app.settings.id, environment: environment)
            try await store.perform(
                AppendEvents([
                    events.make(
                        .stepUpHookFailed,
                        [
                            "user_id": .string(caller.user.id), "session_id": .string(caller.session.id),
                            "scope": .string(scope), "reason": .string(failure.rawValue),
                        ])
                ]))
            throw Refusal.authBlocked
        }
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
