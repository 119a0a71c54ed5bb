internal import SessionDomain
internal import SessionTokens
internal import Testing

enum OperatorAppRules {
    static let all: [ContractRule] = [
        // Proves: C9
        ContractRule("The operator app comes back with its reserved id, its users, their sessions and events") {
            world async throws in
            let app = App(id: .operators, name: "console", createdAt: world.now)
            let factory = EventFactory(appID: .operators, environment: world.environment)
            #expect(
                try await world.store.perform(CreateApp(app, keys: [], events: [factory.make(.appCreated, [:])])))
            #expect(try await world.store.app(.operators) == app)
            #expect(try await world.store.apps().map(\.id) == [.operators])
            let user = try await invited(.support, app: world.app, in: world)
            #expect(try await world.store.user(user.id, app: .operators) == user)
            let person = try #require(ConsoleOperator(user))
            #expect(person.role == .support && person.appID == world.app)
            let session = Session(
                id: "ses_1", appID: .operators, userID: user.id, keyThumbprint: nil, device: Device(),
                createdAt: world.now, idleExpiresAt: world.now + 60, absoluteExpiresAt: world.now + 60)
            let started = try await world.store.perform(
                StartSession(
                    session: session, challengeID: "chl_1", challengeEpoch: 0, challengeExpiresAt: world.now + 300,
                    proof: nil, previousSessionID: nil, maximumSessions: 20, now: world.now, events: factory))
            #expect(started == .started(user))
            let found = try #require(try await world.store.signedIn(session: "ses_1", app: .operators))
            #expect(found.session == session && found.user == user)
            #expect(try await world.store.signedIn(session: "ses_1", app: world.app) == nil)
            let names = try await world.store.events(app: .operators, limit: 10, offset: 0).map(\.name)
            #expect(names == [.sessionCreated, .appCreated])
        },
        // Proves: C11
        ContractRule("The rights of an operator change at once, and only if they differ") { world async throws in
            let user = try await invited(.viewer, app: nil, in: world)
            func change(_ role: OperatorRole, _ app: AppID?) async throws -> ConsoleOperator? {
                let factory = EventFactory(appID: .operators, environment: world.environment(at: world.now + 1))
                return try await world.store.perform(
                    ChangeOperatorRights(
                        role: role, appID: app,
                        change: UserChange(of: user.id, app: .operators, now: world.now + 1, events: factory))
                ).flatMap { ConsoleOperator($0) }
            }
            #expect(try await change(.admin, world.app)?.role == .admin)
            #expect(try await change(.admin, world.app)?.appID == world.app)
            let stored = try #require(try await world.store.user(user.id, app: .operators))
            #expect(ConsoleOperator(stored)?.role == .admin && stored.updatedAt == world.now + 1)
            let events = try await world.store.events(app: .operators, limit: 10, offset: 0)
            #expect(events.map(\.name) == [.operatorUpdated])
            let after: [String: JSONValue] = ["role": "admin", "app_id": .string(world.app.rawValue)]
            #expect(events.first?.data["after"] == .object(after))
        },
        // Proves: C12
        ContractRule("Of two admins who remove each other at the same moment, one stays") { world async throws in
            try await addApp(to: world)
            for round in 0..<8 {
                let grace = try await invited(.admin, address: "grace\(round)@example.com", app: nil, in: world)
                let alan = try await invited(.admin, address: "alan\(round)@example.com", app: nil, in: world)
                async let first = remove(alan, by: grace, in: world)
                async let second = remove(grace, by: alan, in: world)
                let removed = try await [first, second]
                #expect(removed.count { $0 } == 1)
                let isLeft = [
                    try await world.store.user(grace.id, app: .operators) != nil,
                    try await world.store.user(alan.id, app: .operators) != nil,
                ]
                #expect(isLeft.count { $0 } == 1)
            }
        },
        // Proves: C12
        ContractRule("An operator changes another one only with the account and the rights that the request found") {
            world async throws in
            try await addApp(to: world)
            let (grace, alan) = (
                try await invited(.admin, app: nil, in: world),
                try await invited(.viewer, address: "alan@example.com", app: nil, in: world)
            )
            func change() -> UserChange {
                let events = EventFactory(appID: .operators, environment: world.environment)
                return UserChange(of: grace.id, app: .operators, now: world.now, events: events)
            }
            _ = try await world.store.perform(SetUserStatus(.suspended, in: change()))
            #expect(try await !remove(alan, by: grace, in: world))
            _ = try await world.store.perform(SetUserStatus(.active, in: change()))
            for (role, app) in [(OperatorRole.support, AppID?.none), (.admin, world.app)] {
                _ = try await world.store.perform(ChangeOperatorRights(role: role, appID: app, change: change()))
                #expect(try await !remove(alan, by: grace, in: world))
            }
            _ = try await world.store.perform(ChangeOperatorRights(role: .admin, appID: nil, change: change()))
            #expect(try await remove(alan, by: grace, in: world))
        },
        // Proves: C9
        ContractRule("A user of an app of customers is no operator, whatever the profile contains") {
            world async throws in
            var user = try await world.addUser()
            user.profile = ConsoleOperator.profile(.admin, app: nil)
            #expect(ConsoleOperator(user) == nil)
            let change = UserChange(of: user.id, app: world.app, now: world.now, events: world.events())
            let outcome = try await world.store.perform(
                ChangeOperatorRights(role: .admin, appID: nil, change: change))
            #expect(outcome == nil)
            #expect(try await world.store.user(user.id, app: world.app)?.profile.isEmpty == true)
        },
    ]

    private static func addApp(to world: ContractWorld) async throws {
        let app = App(id: .operators, name: "console", createdAt: world.now)
        try #require(try await world.store.perform(CreateApp(app, keys: [], events: [])))
    }

    private static func remove(
        _ user: User, by caller: User, in world: ContractWorld
    ) async throws -> Bool {
        let principal = try ConsolePrincipal(#require(ConsoleOperator(caller)))
        do {
            return try await world.store.perform(
                OperatorChange(DeleteUser(user.id, app: .operators, events: []), by: principal))
        } catch Refusal.forbidden {
            return false
        }
    }

    private static func invited(
        _ role: OperatorRole, address: String = "grace@example.com", app: AppID?, in world: ContractWorld
    ) async throws -> User {
        let user = User(
            id: world.environment.newID("usr"), appID: .operators, profile: ConsoleOperator.profile(role, app: app),
            identifiers: [try world.mail(address)], createdAt: world.now)
        try #require(try await world.store.perform(CreateUser(user, passwordHash: nil, events: [])) == .created)
        return user
    }
}
