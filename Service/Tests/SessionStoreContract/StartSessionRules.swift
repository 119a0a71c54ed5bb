internal import SessionDomain
internal import SessionTokens
internal import Testing

enum StartSessionRules {
    static let all: [ContractRule] = [
        ContractRule("A started session comes back as it was given, with its user, in its app only") {
            world async throws in
            let user = try await world.addUser()
            let session = world.newSession(
                of: user, scopes: ["a:b", "c.d"],
                device: Device(
                    id: "8f0e", model: "iPhone 15", type: "mobile", osVersion: "17.4", countryCode: "CH"))
            #expect(try await world.store.perform(world.start(session)) == .started(user))
            #expect(try await world.store.session(session.id, app: world.app) == session)
            let signedIn = try await world.store.signedIn(session: session.id, app: world.app)
            #expect(signedIn?.session == session)
            #expect(signedIn?.user == user)
            #expect(try await world.store.session(session.id, app: world.otherApp) == nil)
            let elsewhere = try await world.store.signedIn(session: session.id, app: world.otherApp)
            #expect(elsewhere?.session == nil)
            #expect(try await world.happened() == [.sessionCreated])
        },
        ContractRule("A login challenge is redeemed once, and the rejected call does not spend its proof") {
            world async throws in
            let user = try await world.addUser()
            let first = world.start(world.newSession(of: user), challenge: "c", proof: world.proof("a"))
            let second = world.start(world.newSession(of: user), challenge: "c", proof: world.proof("b"))
            #expect(try await world.store.perform(first) == .started(user))
            #expect(try await world.store.perform(second) == .challengeReused)
            #expect(try await world.store.session(second.session.id, app: world.app) == nil)
            #expect(try await world.happened() == [.sessionCreated])
            #expect(try await world.store.perform(ReserveProof(world.proof("b"), app: world.app, now: world.now)))
        },
        // Proves: R17
        ContractRule("Of many concurrent logins with one challenge, one gets a session") { world async throws in
            let user = try await world.addUser()
            let outcomes = try await concurrently(32) { index in
                try await world.store.perform(
                    world.start(world.newSession(of: user), challenge: "c", proof: world.proof("\(index)")))
            }
            #expect(outcomes.filter { $0 == .started(user) }.count == 1)
            #expect(outcomes.filter { $0 == .challengeReused }.count == 31)
            #expect(try await world.happened() == [.sessionCreated])
        },
        ContractRule("A started session ends the verification that its code has answered") { world async throws in
            let user = try await world.addUser()
            try await world.begin(user.identifiers[0], token: "token", codeChallenge: "pkce")
            #expect(try await world.check("right", token: "token").isRight)
            for (name, isStarted) in [("a", true), ("b", false)] {
                let start = world.start(
                    world.newSession(of: user), challenge: "vrf_token", verification: "token", proof: world.proof(name))
                #expect(try await world.store.perform(start) == (isStarted ? .started(user) : .challengeReused))
                #expect(try await world.store.verification(tokenHash: "token", app: world.app) == nil)
                #expect(try await world.check("right", token: "token") == .unknown)
            }
        },
        ContractRule("A login is repeated for the same key and attempt until the session's first refresh") {
            world async throws in
            let user = try await world.addUser()
            var session = world.newSession(of: user)
            session.attempts = RotationAttempts(last: "login")
            let first = world.start(session, challenge: "c", proof: world.proof("a", attempt: "login"))
            #expect(try await world.store.perform(first) == .started(user))
            func again(_ name: String, key: String = "key-1", attempt: String? = "login") async throws
                -> RepeatSessionStartOutcome
            {
                try await world.store.perform(
                    RepeatSessionStart(
                        of: session, proof: world.proof(name, key: key, attempt: attempt), now: world.now + 1))
            }
            for name in ["b", "c"] { #expect(try await again(name) == .repeated(session, user, [])) }
            #expect(try await again("c") == .replayedProof)
            #expect(try await again("d", key: "key-2") == .challengeReused)
            #expect(try await again("e", attempt: "other") == .challengeReused)
            #expect(try await again("f", attempt: nil) == .challengeReused)
            let rotated = try await world.rotate(session, proof: world.proof("g", attempt: "next"))
            #expect(rotated.rotatedGeneration == 1)
            #expect(try await again("h") == .challengeReused)
            #expect(try await world.isLive(session))
            #expect(try await world.happened() == [.sessionCreated])
        },
        ContractRule("A replayed proof starts no session and does not spend the challenge") { world async throws in
            let user = try await world.addUser()
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)))
            let replay = world.start(world.newSession(of: user), challenge: "c", proof: world.proof("a"))
            #expect(try await world.store.perform(replay) == .replayedProof)
            let fresh = world.start(world.newSession(of: user), challenge: "c", proof: world.proof("b"))
            #expect(try await world.store.perform(fresh) == .started(user))
        },
        ContractRule("The same challenge id in another app is another challenge") { world async throws in
            for app in [world.app, world.otherApp] {
                let user = try await world.addUser(app: app)
                let start = world.start(world.newSession(of: user), challenge: "c", proof: world.proof("a"))
                #expect(try await world.store.perform(start) == .started(user))
            }
        },
        ContractRule("An unknown user, or one of another app, gets no session and spends nothing") {
            world async throws in
            let stranger = try await world.addUser(app: world.otherApp)
            let posing = User(id: stranger.id, appID: world.app, identifiers: [], createdAt: world.now)
            let start = world.start(world.newSession(of: posing), challenge: "c", proof: world.proof("a"))
            #expect(try await world.store.perform(start) == .unknownUser)
            #expect(try await world.store.perform(start) == .unknownUser)
            #expect(try await world.happened() == [])
        },
        ContractRule("A user that may not sign in gets no session and spends nothing") { world async throws in
            for status in [User.Status.inactive, .suspended] {
                let user = try await world.addUser("\(status)@example.com", status: status)
                let start = world.start(world.newSession(of: user), proof: world.proof("\(status)"))
                #expect(try await world.store.perform(start) == .inactive(status))
                #expect(try await world.store.perform(start) == .inactive(status))
            }
            #expect(try await world.happened() == [])
        },
        // Proves: R11
        ContractRule("A login ends the session that it replaces, in the same transaction") { world async throws in
            let user = try await world.addUser()
            let old = try await world.signIn(user)
            let new = world.start(world.newSession(of: user), replacing: old.id)
            #expect(try await world.store.perform(new) == .started(user))
            #expect(try await !world.isLive(old))
            #expect(try await world.isLive(new.session))
            #expect(try await world.happened() == [.sessionCreated, .sessionRevoked, .sessionCreated])
        },
        ContractRule("A login replaces a session without a key, but none with another key or of another app") {
            world async throws in
            let user = try await world.addUser()
            let other = try await world.addUser(app: world.otherApp)
            let keyless = try await world.signIn(user, key: nil)
            let foreign = try await world.signIn(user, key: "key-2")
            let elsewhere = try await world.signIn(other)
            for (previous, survives) in [(keyless, false), (foreign, true), (elsewhere, true)] {
                let start = world.start(world.newSession(of: user), replacing: previous.id)
                #expect(try await world.store.perform(start) == .started(user))
                #expect(try await world.isLive(previous) == survives)
            }
            let ended = try await world.happened().filter { $0 == .sessionRevoked }
            #expect(ended.count == 1)
            let unknown = world.start(world.newSession(of: user), replacing: "ses_unknown")
            #expect(try await world.store.perform(unknown) == .started(user))
        },
        // Proves: R25
        ContractRule("A login above the maximum ends the session unused longest, of this user only") {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let other = try await world.signIn(bob)
            let (one, two) = (try await world.signIn(ada), try await world.signIn(ada))
            _ = try await world.rotate(one, proof: world.proof("a"))
            let third = world.start(world.newSession(of: ada), maximum: 3)
            #expect(try await world.store.perform(third) == .started(ada))
            for session in [one, two] { #expect(try await world.isLive(session)) }
            let fourth = world.start(world.newSession(of: ada), maximum: 3)
            #expect(try await world.store.perform(fourth) == .started(ada))
            #expect(try await !world.isLive(two))
            for session in [one, third.session, fourth.session, other] { #expect(try await world.isLive(session)) }
            let events = try await world.store.events(app: world.app, limit: 100, offset: 0)
            let ended = events.filter { $0.name == .sessionRevoked }.map(\.data)
            #expect(ended == [["user_id": .string(ada.id), "session_id": .string(two.id), "reason": "session_limit"]])
        },
        // Proves: R25
        ContractRule("Of many concurrent logins of one user, the maximum stays") { world async throws in
            let user = try await world.addUser()
            _ = try await concurrently(16) { _ in
                try await world.store.perform(world.start(world.newSession(of: user), maximum: 3))
            }
            let live = try await world.read { query in
                query.user = .id(user.id)
                query.liveSessions = world.now
            }.liveSessions
            #expect(live.count == 3)
        },
        ContractRule("A rejected login ends no session") { world async throws in
            let user = try await world.addUser()
            let old = try await world.signIn(user)
            let first = world.start(world.newSession(of: user), challenge: "c")
            #expect(try await world.store.perform(first) == .started(user))
            let second = world.start(world.newSession(of: user), challenge: "c", replacing: old.id)
            #expect(try await world.store.perform(second) == .challengeReused)
            #expect(try await world.isLive(old))
        },
    ]
}
