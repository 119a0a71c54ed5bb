internal import SessionDomain
internal import SessionTokens
internal import Testing

enum LoginEventRules {
    static let all: [ContractRule] = [
        ContractRule("Each wrong code is reported, and attempts at a used-up code once") { world async throws in
            let mail = try world.mail("ada@example.com")
            try await world.begin(mail, token: "token")
            for _ in 0..<12 { _ = try await world.check("wrong", token: "token") }
            let failed = try await world.attempts(.loginFailed)
            #expect(failed.map { $0.data["reason"] } == Array(repeating: "wrong_code", count: 5) + ["used_up"])
        },
        // Proves: A4
        ContractRule("Of 64 concurrent attempts at the limit, one reports it") { world async throws in
            let mail = try world.mail("ada@example.com")
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 1, window: 900)
            let budget = CallBudget(.check, limits: limits, device: nil, now: world.now)
            let events = world.events()
            _ = try await concurrently(64) { _ in
                try await world.store.perform(
                    BeginPasswordTry(appID: world.app, identifier: mail, budget: budget, events: events))
            }
            #expect(try await world.attempts(.loginLimited).map { $0.data["limit"] } == ["failures_hour"])
        },
    ]
}

extension ContractWorld {
    /// The events with a name, oldest first.
    func attempts(_ name: Event.Name) async throws -> [Event] {
        let query = EventQuery(app: app, name: .exactly(name.rawValue), limit: 1000)
        return try await store.events(query)?.reversed() ?? []
    }
}
