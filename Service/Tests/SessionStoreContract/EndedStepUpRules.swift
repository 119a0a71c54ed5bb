internal import SessionDomain
internal import SessionTokens
internal import Testing

/// What ends challenges and grants before they expire.
enum EndedStepUpRules {
    private typealias Change = @Sendable (ContractWorld, User) async throws -> Void

    private static let endings: [(name: String, rule: String, change: Change)] = [
        (
            "A new password", "O12",
            { world, user in
                _ = try await world.store.perform(
                    SetPassword(hash: "new", ending: nil, in: world.change(of: user.id)))
            }
        ),
        (
            "A removed identifier", "O12",
            { world, user in
                _ = try await world.store.perform(RemoveIdentifier(user.identifiers[0], in: world.change(of: user.id)))
            }
        ),
        ("The status inactive", "R8", { try await setStatus(.inactive, $0, $1) }),
        ("The status suspended", "R8", { try await setStatus(.suspended, $0, $1) }),
        (
            "Ending all sessions", "X2",
            { world, user in
                _ = try await world.store.perform(
                    RevokeSessions(.all, reason: .revokedByOperator, in: world.change(of: user.id)))
            }
        ),
        (
            "A reused refresh token", "X2",
            { world, user in
                let other = try await world.signIn(user, key: nil)
                _ = try await world.rotate(other, proof: nil)
                guard case .revoked = try await world.rotate(other, proof: nil, after: 60) else {
                    throw ContractFailure("the session was not revoked")
                }
            }
        ),
        (
            "A deleted user", "O12",
            { world, user in
                _ = try await world.store.perform(DeleteUser(user.id, app: world.app, events: []))
            }
        ),
    ]

    private static let harmless: [(name: String, change: Change)] = [
        ("Setting the status active again", { try await setStatus(.active, $0, $1) }),
        (
            "Trying to remove another user's identifier",
            { world, user in
                _ = try await world.store.perform(
                    RemoveIdentifier(try world.mail("bob@example.com"), in: world.change(of: user.id)))
            }
        ),
        (
            "A change of the profile",
            { world, user in
                _ = try await world.store.perform(MergeProfile(["a": "b"], in: world.change(of: user.id)))
            }
        ),
    ]

    static let all: [ContractRule] =
        endings.map { ending in
            // Proves: X2
            ContractRule("\(ending.name) ends the user's challenges and grants, and no other user's (\(ending.rule))") {
                world async throws in
                let users = [try await world.addUser(), try await world.addUser("bob@example.com")]
                let kept = try await stepUp(users, world)
                try await ending.change(world, users[0])
                #expect(try await world.isOpen(kept))
                // Of two challenges and two grants, one each is left to expire.
                #expect(try await world.countExpired(after: 100) == 2)
            }
        }
        + harmless.map { change in
            ContractRule("\(change.name) ends no challenge and no grant") { world async throws in
                let users = [try await world.addUser(), try await world.addUser("bob@example.com")]
                _ = try await stepUp(users, world)
                try await change.change(world, users[0])
                #expect(try await world.countExpired(after: 100) == 4)
            }
        } + [
            ContractRule("A grant and a challenge end with the session that earned them, however it ends (X2)") {
                world async throws in
                let ada = try await world.addUser()
                let kept = try await world.signIn(ada, granted: "kept", .profileBound)
                let open = try await world.open("pay", for: kept.session, steps: [ContractWorld.customStep])
                let change = world.change(of: ada.id)
                let endings: [@Sendable (Session) async throws -> Void] = [
                    { try await world.endSession($0) },
                    { _ in
                        _ = try await world.store.perform(
                            RevokeSessions(
                                .allBut(kept.session.id), reason: .revokedByUser, by: kept.session.id, in: change))
                    },
                    { session in
                        let user = try #require(try await world.store.user(ada.id, app: world.app))
                        let login = world.start(
                            world.newSession(of: user), replacing: session.id, epoch: user.loginEpoch)
                        guard case .started = try await world.store.perform(login) else {
                            throw ContractFailure("the login failed")
                        }
                    },
                ]
                for (index, end) in endings.enumerated() {
                    let user = try #require(try await world.store.user(ada.id, app: world.app))
                    let (session, _) = try await world.signIn(user, granted: "pay", .profileBound)
                    let challenge = try await world.open("pay", for: session, steps: [ContractWorld.customStep])
                    try await end(session)
                    #expect(try await !world.isLive(session))
                    #expect(try await !world.isOpen(challenge))
                    let outcome = try await world.rotate(
                        kept.session, generation: Int64(index), proof: world.proof("\(index)"))
                    #expect(outcome.grants == [kept.grant])
                }
                #expect(try await world.isOpen(open))
                // Only the kept grant and the kept challenge are left to expire.
                #expect(try await world.countExpired(after: 100) == 2)
            },
            ContractRule("Grants are gone when a suspended user becomes active again (O12)") { world async throws in
                let ada = try await world.addUser()
                _ = try await world.signIn(ada, granted: "pay", .profileBound)
                try await setStatus(.suspended, world, ada)
                try await setStatus(.active, world, ada)
                let user = try #require(try await world.store.user(ada.id, app: world.app))
                let session = try await world.signIn(user)
                #expect(try await world.rotate(session, proof: world.proof("a")).grants == [])
            },
            ContractRule("Unregistering a scope ends its challenges and grants, and none of another scope or app (R13)")
            {
                world async throws in
                for app in [world.app, world.otherApp] { try await world.addApp(app, scopes: ["pay", "read"]) }
                let ada = try await world.addUser()
                let (session, read) = try await world.signIn(ada, granted: "read", .sessionBound)
                _ = try await world.signIn(ada, granted: "pay", .profileBound)
                let pay = try await world.open("pay", for: session, steps: [ContractWorld.customStep])
                let other = try await world.open("read", for: session, steps: [ContractWorld.customStep])
                let foreigner = try await world.addUser(app: world.otherApp)
                let foreign = try await world.signIn(foreigner, granted: "pay", .sessionBound)

                _ = try await world.store.perform(UpdateApp(world.app) { $0.scopes.removeAll { $0 == "pay" } })
                #expect(try await !world.isOpen(pay))
                #expect(try await world.isOpen(other))
                #expect(try await world.rotate(session, proof: world.proof("a")).grants == [read])
                #expect(try await world.rotate(foreign.session, proof: world.proof("f")).grants == [foreign.grant])
            },
            ContractRule("A scope whose rule is removed loses its grants (R13)") { world async throws in
                try await world.addApp(scopes: ["pay", "read"])
                let (session, _) = try await world.signIn(try await world.addUser(), granted: "pay", .sessionBound)
                _ = try await world.store.perform(
                    UpdateApp(world.app) { $0.stepUp?.rules.removeAll { $0.scope == "pay" } })
                #expect(try await world.rotate(session, proof: world.proof("a")).grants == [])
            },
            ContractRule("A scope whose rule is removed loses its grants even if a login grants it (R13)") {
                world async throws in
                try await world.addApp(scopes: ["pay"])
                let (session, _) = try await world.signIn(
                    try await world.addUser(), granted: "pay", .sessionBound)
                let now = world.now
                _ = try await world.store.perform(
                    UpdateApp(world.app) { app in
                        var login = OTPLoginConfig(id: "lcfg_1", channel: .sms, isDefault: true, at: now)
                        login.grantedScopes = ["pay"]
                        app.otpLogins = [login]
                        app.stepUp = nil
                    })
                #expect(try await world.rotate(session, proof: world.proof("a")).grants == [])
            },
            ContractRule("A change of settings that throws, or takes no scope away, ends no grant") {
                world async throws in
                try await world.addApp(scopes: ["pay"])
                let (session, grant) = try await world.signIn(
                    try await world.addUser(), granted: "pay", .sessionBound)
                _ = try await world.store.perform(
                    UpdateApp(world.app) { app in
                        app.name = "new"
                        app.scopes.append("more")
                    })
                await #expect(throws: Refusal.conflict("no")) {
                    try await world.store.perform(
                        UpdateApp(world.app) { app in
                            app.scopes = []
                            throw Refusal.conflict("no")
                        })
                }
                #expect(try await world.rotate(session, proof: world.proof("a")).grants == [grant])
            },
        ]

    /// Creates a challenge and a grant for each user, all of 100 seconds. Returns the last challenge.
    private static func stepUp(_ users: [User], _ world: ContractWorld) async throws -> StepUpChallenge {
        var last: StepUpChallenge?
        for user in users {
            let (session, _) = try await world.signIn(user, granted: "pay", .profileBound)
            last = try await world.open("pay", for: session, steps: [ContractWorld.customStep])
        }
        return try #require(last)
    }

    private static func setStatus(_ status: User.Status, _ world: ContractWorld, _ user: User) async throws {
        _ = try await world.store.perform(SetUserStatus(status, in: world.change(of: user.id)))
    }
}
