internal import SessionDomain
internal import Testing

enum IdentifierRules {
    static let all: [ContractRule] = [
        ContractRule("An identifier belongs to one user of an app, in any letter case, and is free in another app") {
            world async throws in
            _ = try await world.addUser("ada@example.com")
            let second = User(
                id: "usr_2", appID: world.app,
                identifiers: [try world.mail("new@example.com"), try world.mail("ADA@Example.COM")],
                createdAt: world.now)
            let outcome = try await world.store.perform(
                CreateUser(
                    second, passwordHash: nil, events: [world.events().userCreated(second)]))
            #expect(outcome == .identifierTaken(1))
            // The one identifier that was free is still free.
            #expect(try await world.store.user(with: try world.mail("new@example.com"), app: world.app) == nil)
            #expect(try await world.happened() == [])
            _ = try await world.addUser("ada@example.com", app: world.otherApp)
        },
        ContractRule("Of many users that add one identifier concurrently, one succeeds") { world async throws in
            let outcomes = try await concurrently(16) { index in
                let user = User(
                    id: "usr_\(index)", appID: world.app, identifiers: [try world.mail("ada@example.com")],
                    createdAt: world.now)
                return try await world.store.perform(CreateUser(user, passwordHash: nil, events: []))
            }
            #expect(outcomes.filter { $0 == .created }.count == 1)
            #expect(outcomes.filter { $0 == .identifierTaken(0) }.count == 15)
        },
        ContractRule("An added identifier comes last, has an event, and cannot be taken by another user") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let phone = try world.phone("+14155550100")
            let outcome = try await add(phone, to: ada, world)
            guard case .updated(let updated) = outcome else { throw ContractFailure("not added: \(outcome)") }
            #expect(updated.identifiers == ada.identifiers + [phone])
            #expect(updated.updatedAt == world.now + 5)
            #expect(try await world.store.user(with: phone, app: world.app) == updated)
            #expect(try await add(phone, to: bob, world) == .taken)
            #expect(try await world.happened() == [.identifierCreated])
        },
        ContractRule("Adding an identifier that the user has changes nothing and writes no event") {
            world async throws in
            let ada = try await world.addUser()
            #expect(try await add(try world.mail("ADA@example.com"), to: ada, world) == .updated(ada))
            #expect(try await world.happened() == [])
        },
        // Proves: O12
        ContractRule("A removed identifier is free again, has an event, and its running verification accepts no code") {
            world async throws in
            let ada = try await world.addUser()
            try await world.begin(ada.identifiers[0], token: "token")
            let outcome = try await remove(ada.identifiers[0], from: ada, world)
            guard case .updated(let updated) = outcome else { throw ContractFailure("not removed: \(outcome)") }
            #expect(updated.identifiers.isEmpty)
            #expect(try await world.check("right", token: "token") == .wrong)
            #expect(try await world.happened() == [.identifierDeleted])
            _ = try await world.addUser()
        },
        ContractRule("An identifier of another user cannot be removed") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            #expect(try await remove(ada.identifiers[0], from: bob, world) == .updated(bob))
            #expect(try await world.store.user(with: ada.identifiers[0], app: world.app) == ada)
            #expect(try await world.happened() == [])
        },
        ContractRule("Identifiers of unknown users are not found") { world async throws in
            let ghost = User(id: "usr_ghost", appID: world.app, identifiers: [], createdAt: world.now)
            #expect(try await add(try world.mail("x@example.com"), to: ghost, world) == .notFound)
            #expect(try await remove(try world.mail("x@example.com"), from: ghost, world) == .notFound)
        },
    ]

    private static func add(
        _ identifier: CanonicalIdentifier, to user: User, _ world: ContractWorld
    ) async throws -> UpdateUserOutcome {
        try await world.store.perform(AddIdentifier(identifier, in: world.change(of: user.id, after: 5)))
    }

    private static func remove(
        _ identifier: CanonicalIdentifier, from user: User, _ world: ContractWorld
    ) async throws -> UpdateUserOutcome {
        try await world.store.perform(RemoveIdentifier(identifier, in: world.change(of: user.id, after: 5)))
    }
}
