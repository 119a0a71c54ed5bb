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
            try await complete(identifier, of: user, app: world.otherApp, world)
            try await complete(identifier, of: user, device: world.device(of: user), world)
            try await world.write(.clearCounter(.starts(.anonymous(identifier)), app: world.app))
            #expect(try await attempt(identifier, world) == limited(identifier, world))
            try await complete(identifier, of: user, world)
            #expect(try await attempt(user.identifiers[0], world) == .found(user, passwordHash: "hash"))
        },
        ContractRule("A success with a held address takes back its own attempt only (X1)") { world async throws in
            let user = try await world.addUser(passwordHash: "hash")
            let identifier = user.identifiers[0]
            for _ in 0..<3 { _ = try await attempt(identifier, world) }
            try await complete(identifier, of: user, isHeld: true, world)
            #expect(try await attempt(identifier, world) == .found(user, passwordHash: "hash"))
            #expect(try await attempt(identifier, world) == limited(identifier, world))
        },
        ContractRule("An attempt that could not be compared is taken back, and no other one") { world async throws in
            let identifier = try world.mail("nobody@example.com")
            for _ in 0..<3 { _ = try await attempt(identifier, world) }
            #expect(try await attempt(identifier, world) == limited(identifier, world))
            try await world.store.perform(
                UndoPasswordTry(appID: world.app, identifier: identifier, budget: budget(world), device: .stranger))
            #expect(try await attempt(identifier, world) == .unknown)
            #expect(try await attempt(identifier, world) == limited(identifier, world))
        },
        // Proves: O8
        ContractRule("A network counts each failing address once until it succeeds, and refuses others at its limit") {
            world async throws in
            let networks = [CountedNetwork(digest: "office")]
            let (budget, total) = (budget(world, networks: networks), CounterKey.failuresOfNetwork("office"))
            let mails = try ["ada", "bob", "carol"].map { try world.mail("\($0)@example.com") }
            func begin(_ mail: CanonicalIdentifier) async throws -> BeginPasswordTryOutcome {
                try await world.store.perform(BeginPasswordTry(appID: world.app, identifier: mail, budget: budget))
            }
            for mail in mails.prefix(2) {
                for _ in 0..<2 {
                    #expect(try await begin(mail) == .unknown)
                    let event = world.events().loginFailed(.wrongPassword, .password, of: LoginSubject(mail))
                    try await world.store.perform(
                        FailPasswordTry(
                            appID: world.app, identifier: mail, budget: budget, device: .stranger, event: event))
                }
            }
            #expect(try await world.stored(total) == 2)
            guard case .limited(let limit) = try await begin(mails[2]) else { throw ContractFailure("not limited") }
            #expect(limit.counter == total && limit.until <= world.now + 600)
            #expect(try await begin(mails[0]) == .unknown, "it counts already")
            // However many right passwords come at once, one failing address is taken back once.
            _ = try await concurrently(8) { _ in
                try await world.store.perform(
                    CompletePasswordTry(
                        appID: world.app, identifier: mails[0], budget: budget, device: .stranger, isHeld: false))
            }
            #expect(try await world.stored(total) == 1)
            #expect(try await begin(mails[2]) == .unknown)
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
                appID: world.app, identifier: identifier, budget: budget(world, after: seconds)))
    }

    private static func budget(
        _ world: ContractWorld, device: KnownDevice? = nil, networks: [CountedNetwork] = [], after seconds: Int = 0
    ) -> CallBudget {
        var limits = LimitSettings()
        limits.failedChecks = RateLimit(limit: 3, window: 900)
        limits.failuresPerAddress = RateLimit(limit: 2, window: 600)
        return CallBudget(.password, limits: limits, device: device, networks: networks, now: world.now + seconds)
    }

    private static func complete(
        _ identifier: CanonicalIdentifier, of user: User, app: AppID? = nil, device: KnownDevice? = nil,
        isHeld: Bool = false, _ world: ContractWorld
    ) async throws {
        try await world.store.perform(
            CompletePasswordTry(
                appID: app ?? world.app, identifier: identifier, budget: budget(world, device: device),
                device: device == nil ? .stranger : .known, isHeld: isHeld))
    }

    private static func limited(
        _ identifier: CanonicalIdentifier, _ world: ContractWorld
    ) -> BeginPasswordTryOutcome {
        .limited(ReachedLimit(.failures(.anonymous(identifier), .hour), until: world.now + 900))
    }
}
