internal import SessionDomain
internal import SessionTokens
internal import Testing

/// Steps whose correct code adds an identifier to the user.
enum RegisterScopeRules {
    static let all: [ContractRule] = [
        ContractRule("The new identifier is added when its code is correct, and not before, with an event") {
            world async throws in
            let ada = try await world.addUser()
            let new = try world.phone("+14155550100")
            let challenge = try await open(new, for: ada, world)
            #expect(try await world.enter("wrong", for: challenge) == .wrong)
            #expect(try await world.store.user(ada.id, app: world.app) == ada)
            let done = try #require(try await world.enter("right", for: challenge, after: 7).advanced)
            #expect(done.completedAt == world.now + 7)
            let user = try #require(try await world.store.user(ada.id, app: world.app))
            #expect(user.identifiers == ada.identifiers + [new])
            #expect(user.updatedAt == world.now + 7)
            #expect(try await world.store.user(with: new, app: world.app) == user)
            let appended = try await world.store.events(app: world.app, limit: 1, offset: 0)
            #expect(appended.map(\.name) == [.identifierCreated])
            #expect(appended.first?.data["user_id"] == .string(ada.id))
        },
        ContractRule("A registered identifier is held until its time, or until a login with one that is not held (X1)")
        {
            world async throws in
            let ada = try await world.addUser()
            let new = try world.phone("+14155550100")
            let challenge = try await open(new, for: ada, world)
            _ = try #require(try await world.enter("right", for: challenge, hold: 60, after: 7).advanced)
            let user = try #require(try await world.store.user(ada.id, app: world.app))
            #expect(user.heldUntil == [new: world.now + 67])
            let held = world.start(world.newSession(of: user))
            #expect(try await world.store.perform(held) == .started(user))
            #expect(try await world.store.user(ada.id, app: world.app) == user)
            let owner = world.start(world.newSession(of: user), endsHolds: true)
            #expect(try await world.store.perform(owner) == .started(user))
            #expect(try await world.store.user(ada.id, app: world.app)?.heldUntil == [:])
        },
        ContractRule("An identifier of another user is not added, and the challenge is deleted") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await addPhoneOwner(world))
            let challenge = try await open(bob.identifiers[0], for: ada, world)
            let before = try await world.happened()
            #expect(try await world.enter("right", for: challenge) == .identifierTaken)
            #expect(try await !world.isOpen(challenge))
            #expect(try await world.enter("right", for: challenge) == .refused(.invalidChallenge))
            #expect(try await world.store.verification(tokenHash: challenge.verificationKey, app: world.app) == nil)
            #expect(try await world.store.user(ada.id, app: world.app) == ada)
            #expect(try await world.store.user(bob.id, app: world.app) == bob)
            #expect(try await world.happened() == before)
        },
        ContractRule("A wrong code does not reveal whether another user has the identifier") { world async throws in
            let (ada, bob) = (try await world.addUser(), try await addPhoneOwner(world))
            let challenge = try await open(bob.identifiers[0], for: ada, world)
            #expect(try await world.enter("wrong", for: challenge) == .wrong)
        },
        ContractRule("An identifier that the user has is confirmed, without an event") { world async throws in
            let ada = try await world.addUser()
            let challenge = try await world.open(
                for: try await world.signIn(ada), steps: [ContractWorld.mailStep], newIdentifier: ada.identifiers[0])
            _ = try await world.send(challenge)
            #expect(try await world.enter("right", for: challenge).advanced?.completedAt == world.now + 1)
            #expect(try await world.store.user(ada.id, app: world.app) == ada)
            #expect(try await world.happened() == [.sessionCreated])
        },
        ContractRule("Of 16 users that register one identifier concurrently, one gets it (O3)") { world async throws in
            let new = try world.phone("+14155550100")
            var limits = LimitSettings()
            limits.starts = RateLimit(limit: 100, window: 600)
            limits.failedChecks = RateLimit(limit: 100, window: 600)
            (limits.sendsPerHour, limits.sendsPerDay) = (100, 100)
            var challenges: [StepUpChallenge] = []
            for index in 0..<16 {
                let user = try await world.addUser("u\(index)@example.com")
                challenges.append(try await open(new, for: user, limits: limits, world))
            }
            let outcomes = try await concurrently(16) { [challenges, limits] index in
                try await world.enter("right", for: challenges[index], limits: limits)
            }
            #expect(outcomes.compactMap(\.advanced).count == 1)
            #expect(outcomes.filter { $0 == .identifierTaken }.count == 15)
            let owner = try await world.store.user(with: new, app: world.app)
            #expect(owner?.id == outcomes.compactMap(\.advanced).first?.userID)
        },
    ]

    /// A challenge that adds a phone number, and whose code was sent.
    private static func open(
        _ new: CanonicalIdentifier, for user: User, limits: LimitSettings = LimitSettings(), _ world: ContractWorld
    ) async throws -> StepUpChallenge {
        let challenge = try await world.open(
            for: try await world.signIn(user), steps: [ContractWorld.phoneStep], newIdentifier: new)
        guard try await world.send(challenge, limits: limits).sent != nil else {
            throw ContractFailure("no code was sent")
        }
        return challenge
    }

    private static func addPhoneOwner(_ world: ContractWorld) async throws -> User {
        let bob = User(
            id: "usr_bob", appID: world.app, identifiers: [try world.phone("+14155550100")], createdAt: world.now)
        try #require(try await world.store.perform(CreateUser(bob, passwordHash: nil, events: [])) == .created)
        return bob
    }
}
