internal import SessionDomain
internal import SessionTokens
internal import Testing

enum AdoptUserRules {
    static let all: [ContractRule] = [
        ContractRule("An unknown person becomes a user, with an event") { world async throws in
            let new = try newcomer(world, ["ada@example.com", "+14155550100"], externalID: "ext", profile: ["a": "b"])
            #expect(try await adopt(new, world) == .adopted(new))
            #expect(try await world.store.user(new.id, app: world.app) == new)
            #expect(try await world.happened() == [.userCreated])
        },
        ContractRule("A user found by identifier gets the other identifiers and the external id, and keeps the profile")
        {
            world async throws in
            let ada = try await world.addUser()
            _ = try await world.store.perform(MergeProfile(["kept": "yes"], in: world.change(of: ada.id)))
            let new = try newcomer(
                world, ["+14155550100", "ADA@example.com"], externalID: "ext", profile: ["kept": "no", "a": "b"])
            guard case .adopted(let user) = try await adopt(new, world) else { throw ContractFailure("not adopted") }
            #expect(user.id == ada.id)
            #expect(user.identifiers == ada.identifiers + [try world.phone("+14155550100")])
            #expect(user.identifiers.first?.value == "ada@example.com")
            #expect(user.externalID == "ext")
            #expect(user.profile == ["kept": "yes"])
            #expect(user.updatedAt == world.now + 5)
            #expect(try await world.store.user(ada.id, app: world.app) == user)
            #expect(try await world.store.user(new.id, app: world.app) == nil)
            #expect(try await world.happened() == [.profileUpdated, .identifierCreated])
        },
        ContractRule("A user found by external id gets the identifiers") { world async throws in
            let ada = try await world.addUser(externalID: "ext")
            let new = try newcomer(world, ["+14155550100"], externalID: "ext")
            guard case .adopted(let user) = try await adopt(new, world) else { throw ContractFailure("not adopted") }
            #expect(user.id == ada.id)
            #expect(user.identifiers.map(\.value) == ["ada@example.com", "+14155550100"])
            #expect(user.updatedAt == world.now + 5)
            #expect(try await world.happened() == [.identifierCreated])
        },
        ContractRule("A user that has everything stays unchanged, without an event") { world async throws in
            let ada = try await world.addUser(externalID: "ext")
            let new = try newcomer(world, ["ada@example.com"], externalID: "ext")
            #expect(try await adopt(new, world) == .adopted(ada))
            #expect(try await adopt(try newcomer(world, ["ada@example.com"]), world) == .adopted(ada))
            #expect(try await world.happened() == [])
        },
        ContractRule("Adoption changes neither password nor status") { world async throws in
            let ada = try await world.addUser(status: .suspended, passwordHash: "hash")
            guard case .adopted(let user) = try await adopt(try newcomer(world, ["ada@example.com"]), world)
            else { throw ContractFailure("not adopted") }
            #expect(user.status == .suspended)
            #expect(user.hasPassword)
            #expect(user == ada)
        },
        ContractRule("Identifiers of different users are a conflict and change no user") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com", externalID: "ext"))
            let conflicts = [
                try newcomer(world, ["+14155550100", "ada@example.com", "bob@example.com"]),
                try newcomer(world, ["+14155550100", "ada@example.com"], externalID: "ext"),
            ]
            for new in conflicts { #expect(try await adopt(new, world) == .conflict) }
            #expect(try await world.store.user(ada.id, app: world.app) == ada)
            #expect(try await world.store.user(bob.id, app: world.app) == bob)
            #expect(try await world.store.user(with: try world.phone("+14155550100"), app: world.app) == nil)
            #expect(try await world.happened() == [])
        },
        ContractRule("A user with another external id is a conflict and gets no identifier") {
            world async throws in
            let ada = try await world.addUser(externalID: "ext")
            let new = try newcomer(world, ["+14155550100", "ada@example.com"], externalID: "other")
            #expect(try await adopt(new, world) == .conflict)
            #expect(try await world.store.user(ada.id, app: world.app) == ada)
            #expect(try await world.happened() == [])
        },
        ContractRule("A user of another app is not found") { world async throws in
            let foreigner = try await world.addUser(app: world.otherApp, externalID: "ext")
            let new = try newcomer(world, ["ada@example.com"], externalID: "ext")
            #expect(try await adopt(new, world) == .adopted(new))
            #expect(try await world.store.user(foreigner.id, app: world.otherApp) == foreigner)
        },
        ContractRule("32 concurrent adoptions with one identifier create one user (O3)") { world async throws in
            let outcomes = try await concurrently(32) { index in
                try await adopt(try newcomer(world, ["ada@example.com"], externalID: "ext"), world)
            }
            let ids = Set(outcomes.compactMap { if case .adopted(let user) = $0 { user.id } else { nil } })
            #expect(outcomes.filter { $0 == .conflict }.isEmpty)
            #expect(ids.count == 1)
            #expect(try await world.happened() == [.userCreated])
        },
    ]

    private static func newcomer(
        _ world: ContractWorld, _ identifiers: [String], externalID: String? = nil, profile: [String: JSONValue] = [:]
    ) throws -> User {
        User(
            id: world.environment.newID("usr"), appID: world.app, externalID: externalID, profile: profile,
            identifiers: try identifiers.map { $0.hasPrefix("+") ? try world.phone($0) : try world.mail($0) },
            createdAt: world.now)
    }

    private static func adopt(_ user: User, _ world: ContractWorld) async throws -> AdoptUserOutcome {
        try await world.store.perform(AdoptUser(newUser: user, now: world.now + 5, events: world.events()))
    }
}
