internal import SessionDomain
internal import Testing

/// The budgets of strangers, known devices and sessions, through the store.
enum BudgetRules {
    static let all: [ContractRule] = [
        ContractRule("A counter at its limit is reported, and the user is read as without a limit") {
            world async throws in
            let user = try await world.addUser()
            let identifier = user.identifiers[0]
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 1, window: 60)
            limits.failedChecksPerDay = 1
            let budget = CallBudget(.check, limits: limits, device: nil, now: world.now)
            let counters = budget.counters(for: identifier, device: .stranger)
            let ask: @Sendable (inout FactQuery) -> Void = { query in
                query.budget = .init(budget, for: .identifier(identifier))
                query.user = .id(user.id)
            }
            let free = try await world.read(ask)
            #expect(free.user == user && free.failures.reached(counters) == nil)
            for counter in counters { try await world.write(counter.counted(app: world.app)) }
            let exhausted = try await world.read(ask)
            #expect(exhausted.user == user)
            // Of several limits, the one that ends last counts.
            let day = CounterKey.failures(.anonymous(identifier), .day)
            #expect(exhausted.failures.reached(counters) == ReachedLimit(day, until: world.now + 86_400))
        },
        ContractRule("The budget of a verification is that of its identifier") {
            world async throws in
            let user = try await world.addUser()
            let started = try await world.begin(user.identifiers[0], token: "token")
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 1, window: 60)
            let budget = CallBudget(.check, limits: limits, device: nil, now: world.now)
            let ask: @Sendable (inout FactQuery) -> Void = { query in
                query.verification = .tokenHash("token")
                query.budget = .init(budget, for: .ofVerification)
                query.user = .ofVerification(now: world.now, maximumChecks: 5)
            }
            #expect(try await world.read(ask).user != nil)
            let key = CounterKey.failures(.anonymous(user.identifiers[0]), .hour)
            try await world.write(.count(key, app: world.app, limit: limits.failedChecks, now: world.now))
            let exhausted = try await world.read(ask)
            #expect(exhausted.verification == started && exhausted.user == user)
            #expect(exhausted.failures.limit(of: key) == world.now + 60)
        },
        // Proves: O8
        ContractRule("A network counts the messages of logins without a right code") { world async throws in
            let networks = [CountedNetwork(digest: "office")]
            let mails = try ["ada", "bob"].map { try world.mail("\($0)@example.com") }
            for mail in mails {
                let start = world.verificationStart(mail, token: mail.value, networks: networks)
                guard case .started = try await world.store.perform(start) else {
                    throw ContractFailure("not started")
                }
            }
            let starts = CounterKey.startsOfNetwork("office")
            #expect(try await world.stored(starts) == 2)
            #expect(try await world.check("wrong", token: mails[0].value, networks: networks) == .wrong)
            #expect(try await world.stored(starts) == 2)
            #expect(try await world.check("right", token: mails[0].value, networks: networks).isRight)
            #expect(try await world.stored(starts) == 1)
        },
        // Proves: O21
        ContractRule("A device is known for the identifiers of its own user only, in its app only") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            _ = try await world.addUser("carol@example.com", app: world.otherApp)
            let device = world.device(of: ada)
            #expect(try await world.standing(of: device, at: "ADA@example.com") == .known)
            #expect(try await world.standing(of: device, at: bob.identifiers[0].value) == .stranger)
            #expect(try await world.standing(of: device, at: "carol@example.com") == .stranger)
            #expect(try await world.standing(of: device, at: "unknown@example.com") == .stranger)
            _ = try await world.store.perform(DeleteUser(ada.id, app: world.app, events: []))
            #expect(try await world.standing(of: device, at: "ada@example.com") == .stranger)
        },
        // Proves: O21
        ContractRule("A device is a former one once the logins of its user are void, until a later login (X5)") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let device = world.device(of: ada)
            try await world.write(.voidLogins(of: bob))
            #expect(try await world.standing(of: device, at: "ada@example.com") == .known)
            try await world.write(.voidLogins(of: ada))
            #expect(try await world.standing(of: device, at: "ada@example.com") == .former)
            #expect(try await world.standing(of: device, at: "bob@example.com") == .stranger)
            let later = try #require(try await world.read { $0.user = .id(ada.id) }.user)
            #expect(try await world.standing(of: world.device(of: later), at: "ada@example.com") == .known)
            #expect(try await world.standing(of: world.device(of: later), at: "bob@example.com") == .stranger)
            #expect(try await world.standing(of: world.device(of: bob), at: "bob@example.com") == .former)
        },
        // Proves: O21
        ContractRule("All former devices of a user have the attempts of one stranger together (X5)") {
            world async throws in
            let ada = try await world.addUser()
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 3, window: 3600)
            for token in ["stranger's", "thief's", "ada's"] { try await world.begin(ada.identifiers[0], token: token) }
            for _ in 0..<3 { _ = try await world.check("wrong", token: "stranger's", limits: limits) }
            try await world.write(.voidLogins(of: ada))
            let (mine, stolen) = (world.device(of: ada, id: "mine"), world.device(of: ada, id: "stolen"))
            for _ in 0..<2 {
                #expect(try await world.check("wrong", token: "thief's", limits: limits, device: stolen) == .wrong)
            }
            // A success is no failure, and gives the other devices no further attempts.
            #expect(try await world.check("right", token: "ada's", limits: limits, device: mine).isRight)
            #expect(try await world.check("wrong", token: "thief's", limits: limits, device: stolen) == .wrong)
            for device in [mine, stolen] {
                let spent = try await world.check("right", token: "thief's", limits: limits, device: device)
                let key = CounterKey.failures(.formerDevices(userID: ada.id), .hour)
                #expect(spent == .limited(ReachedLimit(key, until: world.now + 3601)))
            }
        },
        // Proves: O25
        ContractRule("Clearing the limits of a user opens all budgets of the user, and no others") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let phone = try world.phone("+14155550100")
            try await world.write(.insertIdentifier(phone, of: ada))
            let owners: @Sendable (User, [CanonicalIdentifier]) -> [BudgetOwner] = { user, identifiers in
                identifiers.map { .anonymous($0) } + [
                    .device(id: "dev_1", userID: user.id), .device(id: "dev_2", userID: user.id),
                    .session(id: "ses_1", userID: user.id), .formerDevices(userID: user.id),
                ]
            }
            let budget = CallBudget(.check, limits: LimitSettings(), device: nil, now: world.now)
            let keys: @Sendable ([BudgetOwner], CanonicalIdentifier) -> [CounterKey] = { owners, destination in
                let counters = owners.flatMap { budget.failures(of: $0) + budget.sends(of: $0, to: destination) }
                return counters.map(\.key) + owners.map { .starts($0) }
            }
            let shared: [CounterKey] = [.sendsOfApp]
            let own = Set(keys(owners(ada, [ada.identifiers[0], phone]), ada.identifiers[0])).subtracting(shared)
            let others = Set(keys(owners(bob, bob.identifiers), bob.identifiers[0])).union(shared)
            let limit = RateLimit(limit: 1, window: 60)
            for key in own.union(others) {
                try await world.write(.count(key, app: world.app, limit: limit, now: world.now))
            }
            let change = UserChange(of: ada.id, app: world.app, now: world.now, events: world.events())
            #expect(try await world.store.perform(ClearLimits(in: change))?.id == ada.id)
            for key in own {
                let count = Change.count(key, app: world.app, limit: limit, now: world.now)
                #expect(try await world.failures(of: count) == GuardFailures(), "\(key) is cleared")
            }
            for key in others {
                let count = Change.count(key, app: world.app, limit: limit, now: world.now)
                #expect(try await world.failures(of: count) != GuardFailures(), "\(key) is not cleared")
            }
        },
        ContractRule("A stranger who spends the failed checks of an identifier leaves those of a known device (X5)") {
            world async throws in
            let ada = try await world.addUser()
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 3, window: 3600)
            try await world.begin(ada.identifiers[0], token: "stranger's")
            for _ in 0..<3 { _ = try await world.check("wrong", token: "stranger's", limits: limits) }
            try await world.begin(ada.identifiers[0], token: "ada's")
            #expect(try await !world.check("right", token: "ada's", limits: limits).isRight)
            let device = world.device(of: ada)
            #expect(try await world.check("wrong", token: "ada's", limits: limits, device: device) == .wrong)
            #expect(try await world.check("right", token: "ada's", limits: limits, device: device).isRight)
        },
        // Proves: O21
        ContractRule("Failed checks of a known device are limited per device, and together per user") {
            world async throws in
            let ada = try await world.addUser()
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 3, window: 3600)
            limits.failedChecksPerDay = 3
            var failures = 0
            for index in 0..<4 {
                let device = world.device(of: ada, id: "dev_\(index)")
                try await world.begin(ada.identifiers[0], token: "t\(index)")
                for _ in 0..<5 {
                    let outcome = try await world.check("wrong", token: "t\(index)", limits: limits, device: device)
                    if outcome == .wrong { failures += 1 }
                }
            }
            #expect(failures == 6)
        },
        ContractRule("A success on a known device leaves the hour of strangers as it is") { world async throws in
            let ada = try await world.addUser()
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 2, window: 3600)
            for token in ["a", "b", "c"] { try await world.begin(ada.identifiers[0], token: token) }
            for _ in 0..<2 { #expect(try await world.check("wrong", token: "a", limits: limits) == .wrong) }
            let known = try await world.check("right", token: "b", limits: limits, device: world.device(of: ada))
            #expect(known.isRight)
            #expect(try await !world.check("right", token: "c", limits: limits).isRight)
        },
        // Proves: H19
        ContractRule("Sends are limited per destination, resends included, and known devices have their own") {
            world async throws in
            let ada = try await world.addUser()
            let address = ada.identifiers[0]
            var limits = LimitSettings()
            limits.sendsPerHour = 2
            try await world.begin(address, token: "first")
            guard case .send = try await world.resend(token: "first", limits: limits, after: 30) else {
                throw ContractFailure("the code is not sent again")
            }
            let spent = try await world.resend(token: "first", limits: limits, after: 60)
            let hour = ReachedLimit(.sends(.anonymous(address), .hour), until: world.now + 3600)
            #expect(spent == .exhausted(hour))
            #expect(try await !world.start(address, token: "second"))
            #expect(try await world.start(address, token: "third", device: world.device(of: ada)))
            guard
                case .send = try await world.resend(
                    token: "first", limits: limits, device: world.device(of: ada), after: 60)
            else { throw ContractFailure("the code is not sent again to a known device") }
        },
        // Proves: H19
        ContractRule("Of concurrent sends, an app never exceeds its day, and a part is kept for known devices") {
            world async throws in
            let ada = try await world.addUser()
            var limits = LimitSettings()
            limits.appSendsPerDay = 10
            let strangers = CallBudget(.start, limits: limits, device: nil, now: world.now)
            let owner = CallBudget(.start, limits: limits, device: world.device(of: ada), now: world.now)
            @Sendable func start(
                _ identifier: CanonicalIdentifier, _ token: String, _ budget: CallBudget
            ) async throws -> Bool {
                let row = world.verificationStart(identifier, token: token).verification
                let start = StartVerification(
                    appID: world.app, identifier: identifier, signUp: true, budget: budget, draft: world.draft(),
                    now: world.now, verification: row)
                return try await world.store.perform(start).isStarted
            }
            let others = (0..<16).map { "u\($0)@example.com" }
            for other in others { _ = try await world.addUser(other) }
            let started = try await concurrently(16) { index in
                try await start(try world.mail(others[index]), "t\(index)", strangers)
            }
            // Beyond their share, strangers are answered as if their code were sent.
            #expect(started.filter { $0 }.count == 16)
            #expect(try await start(ada.identifiers[0], "a", owner))
            #expect(try await start(ada.identifiers[0], "b", owner))
            #expect(try await !start(ada.identifiers[0], "c", owner))
        },
        // Proves: O23
        ContractRule("A streak of failures keeps its pauses in the store") { world async throws in
            let key = CounterKey.failures(.session(id: "ses_1", userID: "usr_1"), .streak)
            let limit = RateLimit.streak(99, window: LimitSettings.streakWindow)
            func count(after seconds: Int) async throws -> GuardFailures {
                try await world.failures(of: .count(key, app: world.app, limit: limit, now: world.now + seconds))
            }
            for _ in 0..<10 { #expect(try await count(after: 0) == GuardFailures()) }
            #expect(try await count(after: 29) == GuardFailures(.exhausted(key, until: world.now + 30)))
            #expect(try await count(after: 30) == GuardFailures())
            #expect(try await count(after: 89) == GuardFailures(.exhausted(key, until: world.now + 90)))
        },
    ]
}

extension ContractWorld {
    /// The number that a counter has in the store.
    func stored(_ key: CounterKey) async throws -> Int {
        try await store.counters([key], ofUser: "usr_none", app: app).first?.counter.count ?? 0
    }

    fileprivate func standing(of device: KnownDevice, at address: String) async throws -> KnownDevice.Standing {
        let budget = CallBudget(.check, limits: LimitSettings(), device: device, now: now)
        let identifier = try mail(address)
        return try await read { $0.budget = .init(budget, for: .identifier(identifier)) }.deviceStanding
    }

    /// Starts a verification 30 seconds later, with two sends an hour.
    fileprivate func start(
        _ identifier: CanonicalIdentifier, token: String, device: KnownDevice? = nil
    ) async throws -> Bool {
        let start = verificationStart(identifier, token: token, sends: 2, device: device, after: 30)
        return try await store.perform(start).isStarted
    }
}
