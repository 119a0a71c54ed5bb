internal import SessionDomain
internal import Testing

enum PasswordTryRules {
    static let all: [ContractRule] = [
        ContractRule("A password attempt finds the user and the hash, in any letter case of the address") {
            world async throws in
            let user = try await world.addUser(passwordHash: "hash")
            let outcome = try await attempt(try world.mail("ADA@example.com"), world)
            #expect(outcome == .found(user, passwordHash: "hash"))
        },
        ContractRule("A user without a password has no hash, and an unknown address has no user") {
            world async throws in
            let user = try await world.addUser()
            #expect(try await attempt(user.identifiers[0], world) == .found(user, passwordHash: nil))
            #expect(try await attempt(try world.mail("bob@example.com"), world) == .unknown)
        },
        ContractRule("Attempts are counted for known and unknown addresses alike, before anything is compared") {
            world async throws in
            let user = try await world.addUser(passwordHash: "hash")
            for identifier in [user.identifiers[0], try world.mail("nobody@example.com")] {
                let outcomes = try await concurrently(16) { _ in try await attempt(identifier, world) }
                let limited = limited(identifier, world)
                #expect(outcomes.filter { $0 == limited }.count == 13)
                #expect(try await attempt(identifier, world, after: 900) != limited)
            }
        },
        ContractRule("A success clears the attempts of its address, in its app only") { world async throws in
            let user = try await world.addUser(passwordHash: "hash")
            for _ in 0..<3 { _ = try await attempt(user.identifiers[0], world) }
            let identifier = user.identifiers[0]
            let (owner, device) = (BudgetOwner.anonymous(identifier), BudgetOwner.device(id: "dev_1", userID: user.id))
            try await world.store.perform(ClearPasswordTries(identifier, of: owner, app: world.otherApp))
            try await world.store.perform(ClearPasswordTries(identifier, of: device, app: world.app))
            try await world.write(.clearCounter(.starts(owner), app: world.app))
            #expect(try await attempt(identifier, world) == limited(identifier, world))
            try await world.store.perform(ClearPasswordTries(identifier, of: owner, app: world.app))
            #expect(try await attempt(user.identifiers[0], world) == .found(user, passwordHash: "hash"))
        },
    ]

    /// The hash that the next attempt is compared with.
    static func storedHash(of identifier: CanonicalIdentifier, _ world: ContractWorld) async throws -> String? {
        guard case .found(_, let hash) = try await attempt(identifier, world) else { return nil }
        return hash
    }

    private static func attempt(
        _ identifier: CanonicalIdentifier, _ world: ContractWorld, after seconds: Int = 0
    ) async throws -> BeginPasswordTryOutcome {
        try await world.store.perform(
            BeginPasswordTry(
                appID: world.app, identifier: identifier,
                budget: CallBudget(
                    .password(RateLimit(limit: 3, window: 900)), limits: OTPLimits(), device: nil,
                    now: world.now + seconds)))
    }

    private static func limited(
        _ identifier: CanonicalIdentifier, _ world: ContractWorld
    ) -> BeginPasswordTryOutcome {
        .limited(ReachedLimit(.passwordTries(.anonymous(identifier)), until: world.now + 900))
    }
}
