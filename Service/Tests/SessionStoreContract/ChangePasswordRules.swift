internal import SessionDomain
internal import SessionTokens
internal import Testing

enum ChangePasswordRules {
    private static let scope = ReservedScope.writePassword

    static let all: [ContractRule] = [
        ContractRule("A grant of \(scope) changes the password once, with an event") { world async throws in
            let ada = try await world.addUser(passwordHash: "old")
            let (session, _) = try await world.signIn(ada, granted: scope, .sessionBound)
            #expect(try await change(session, to: "new", world) == .changed)
            #expect(try await PasswordTryRules.storedHash(of: ada.identifiers[0], world) == "new")
            #expect(try await world.store.user(ada.id, app: world.app)?.updatedAt == world.now + 1)
            #expect(try await change(session, to: "newer", world) == .insufficientScope)
            #expect(try await PasswordTryRules.storedHash(of: ada.identifiers[0], world) == "new")
            #expect(try await world.happened() == [.sessionCreated, .passwordChanged])
        },
        ContractRule("Of 32 concurrent password changes under one grant, exactly one is stored (O3)") {
            world async throws in
            let ada = try await world.addUser(passwordHash: "old")
            let (session, _) = try await world.signIn(ada, granted: scope, .singleUse, lasts: 3600)
            let outcomes = try await concurrently(32) { index in
                (index, try await change(session, to: "new \(index)", world))
            }
            let winners = outcomes.filter { $0.1 == .changed }.map { "new \($0.0)" }
            #expect(winners.count == 1)
            #expect(try await PasswordTryRules.storedHash(of: ada.identifiers[0], world) == winners.first)
            #expect(try await world.happened() == [.sessionCreated, .passwordChanged])
        },
        ContractRule("Concurrent sessions with one profile-bound grant change the password once (O3)") {
            world async throws in
            let ada = try await world.addUser(passwordHash: "old")
            _ = try await world.signIn(ada, granted: scope, .profileBound)
            let sessions = try await concurrently(16) { _ in try await world.signIn(ada) }
            let outcomes = try await concurrently(16) { index in
                try await change(sessions[index], to: "new", endsOtherSessions: false, world)
            }
            #expect(outcomes.filter { $0 == .changed }.count == 1)
        },
        ContractRule("A password change requires a grant of the scope that covers the session") { world async throws in
            let (ada, bob) = (try await world.addUser(passwordHash: "old"), try await world.addUser("bob@example.com"))
            let bare = try await world.signIn(ada)
            let other = try await world.signIn(ada, granted: "pay", .sessionBound).session
            let expired = try await world.signIn(ada, granted: scope, .sessionBound, lasts: 1).session
            let spent = try await world.signIn(ada, granted: scope, .singleUse).session
            _ = try await world.rotate(spent, proof: world.proof("a"))
            let ended = try await world.signIn(ada, granted: scope, .sessionBound).session
            try await world.endSession(ended)
            _ = try await world.signIn(bob, granted: scope, .profileBound)
            let unknown = world.newSession(of: ada)
            for session in [bare, other, expired, spent, ended, unknown] {
                #expect(try await change(session, to: "new", world) == .insufficientScope)
            }
            #expect(try await PasswordTryRules.storedHash(of: ada.identifiers[0], world) == "old")
            #expect(try await world.happened().contains(.passwordChanged) == false)
        },
        ContractRule("A session of another app cannot change the password") { world async throws in
            let (session, _) = try await world.signIn(
                try await world.addUser(), granted: scope, .sessionBound)
            let posing = ChangePassword(
                appID: world.otherApp, sessionID: session.id, passwordHash: "new", endsOtherSessions: true,
                now: world.now, events: world.events())
            #expect(try await world.store.perform(posing) == .insufficientScope)
            #expect(try await change(session, to: "new", world) == .changed)
        },
        ContractRule("A password change ends codes, challenges and grants of the user, and of no other user (O12)") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let phone = try world.phone("+14155550100")
            _ = try await world.store.perform(AddIdentifier(phone, in: world.change(of: ada.id)))
            let user = try #require(try await world.store.user(ada.id, app: world.app))
            let (session, _) = try await world.signIn(user, granted: scope, .singleUse)
            let (other, _) = try await world.signIn(user, granted: "pay", .profileBound)
            let (bobs, bobsGrant) = try await world.signIn(bob, granted: "pay", .profileBound)
            let challenge = try await world.open(for: other, steps: [ContractWorld.customStep])
            let bobsChallenge = try await world.open(for: bobs, steps: [ContractWorld.customStep])
            for (token, identifier) in [("mail", ada.identifiers[0]), ("phone", phone), ("bob", bob.identifiers[0])] {
                try await world.begin(identifier, token: token)
            }

            #expect(try await change(session, to: "new", endsOtherSessions: false, world) == .changed)
            #expect(try await !world.isOpen(challenge))
            #expect(try await world.rotate(other, proof: world.proof("a")).grants == [])
            #expect(try await world.check("right", token: "mail") == .wrong)
            #expect(try await world.check("right", token: "phone") == .wrong)

            #expect(try await world.isOpen(bobsChallenge))
            #expect(try await world.rotate(bobs, proof: world.proof("b")).grants == [bobsGrant])
            #expect(try await world.check("right", token: "bob").isRight)
        },
        ContractRule(
            "A password change ends the user's other sessions if the app asks for it, never the caller's or another user's"
        ) {
            world async throws in
            for ends in [true, false] {
                let name = "\(ends)@example.com"
                let (ada, bob) = (try await world.addUser(name), try await world.addUser("bob-" + name))
                let (session, _) = try await world.signIn(ada, granted: scope, .sessionBound)
                let (other, bobs) = (try await world.signIn(ada), try await world.signIn(bob))
                #expect(try await change(session, to: "new", endsOtherSessions: ends, world) == .changed)
                #expect(try await world.isLive(session))
                #expect(try await world.isLive(other) == !ends)
                #expect(try await world.isLive(bobs))
            }
            let appended = try await world.store.events(app: world.app, limit: 100, offset: 0)
            let ended = appended.filter { $0.name == .sessionRevoked }
            #expect(ended.map { $0.data["reason"] } == ["password_changed"])
        },
        ContractRule("A rejected password change ends nothing") { world async throws in
            let ada = try await world.addUser()
            let (session, grant) = try await world.signIn(ada, granted: "pay", .profileBound)
            let other = try await world.signIn(ada)
            try await world.begin(ada.identifiers[0], token: "token")
            #expect(try await change(session, to: "new", world) == .insufficientScope)
            #expect(try await world.check("right", token: "token").isRight)
            #expect(try await world.rotate(other, proof: world.proof("a")).grants == [grant])
        },
    ]

    private static func change(
        _ session: Session, to hash: String, endsOtherSessions: Bool = true, _ world: ContractWorld
    ) async throws -> ChangePasswordOutcome {
        try await world.store.perform(
            ChangePassword(
                appID: world.app, sessionID: session.id, passwordHash: hash, endsOtherSessions: endsOtherSessions,
                now: world.now + 1, events: world.events()))
    }
}
