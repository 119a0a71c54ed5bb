internal import SessionDomain
internal import Testing

enum RotationRules {
    static let all: [ContractRule] = [
        ContractRule("A rotation raises the generation and remembers proof, attempt, device and times") {
            world async throws in
            let user = try await world.addUser()
            let session = try await world.signIn(user)
            let device = Device(id: "d", model: "Pixel", type: "mobile", osVersion: "15", countryCode: "DE")
            var expected = session
            expected.generation = 1
            expected.lastProof = world.proof("a").replayKey
            expected.attempts = RotationAttempts(last: "attempt")
            expected.device = device
            expected.lastSeenAt = world.now + 1
            expected.rotatedAt = world.now + 1
            expected.idleExpiresAt = world.now + 1 + SessionPolicy().idleLifetime
            let outcome = try await world.store.perform(
                world.rotation(of: session, proof: world.proof("a", attempt: "attempt"), device: device))
            #expect(outcome == .rotated(expected, user, []))
            #expect(try await world.store.session(session.id, app: world.app) == expected)
        },
        ContractRule("The attempts of nine rotations are stored, the newest first") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            for index in 0..<10 {
                let proof = world.proof("\(index)", attempt: "attempt-\(index)")
                _ = try await world.rotate(session, generation: Int64(index), proof: proof)
            }
            let stored = try await world.store.session(session.id, app: world.app)
            // All short forms are "attempt-".
            #expect(
                stored?.attempts == RotationAttempts(last: "attempt-9", earlier: Array(repeating: "attempt-", count: 8))
            )
        },
        // Proves: R5
        ContractRule("A lost answer is repeated for the same attempt, at any time, until the successor is used") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a", attempt: "one"))
            for name in ["b", "c"] {
                let again = try await world.rotate(session, proof: world.proof(name, attempt: "one"), after: 90_000)
                #expect(again.repeatedGeneration == 1)
            }
            let next = try await world.rotate(session, generation: 1, proof: world.proof("d", attempt: "two"))
            #expect(next.rotatedGeneration == 2)
            let late = try await world.rotate(session, generation: 0, proof: world.proof("e", attempt: "one"))
            #expect(late == .refused(.refreshTokenSpent))
            #expect(try await world.isLive(session))
        },
        // Proves: X8
        ContractRule("Of two holders of one token and key, the second is found at its first rotation") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a", attempt: "thief"))
            let owner = try await world.rotate(session, proof: world.proof("b", attempt: "owner"))
            #expect(owner.reason == .refreshTokenReused)
            #expect(try await !world.isLive(session))
        },
        // Proves: R19
        ContractRule(
            "A session of a restored backup continues with the device's token, and other tokens are reuse then"
        ) {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let outcome = try await world.rotate(session, generation: 7, proof: world.proof("a", attempt: "one"))
            #expect(outcome.recoveredGeneration == 8)
            #expect(try await world.store.session(session.id, app: world.app)?.generation == 8)
            #expect(try await world.happened() == [.sessionCreated, .sessionRecovered])
            let other = world.proof("b", attempt: "two", hasNonce: true, window: 200)
            let older = try await world.rotate(session, generation: 6, proof: other, after: 201)
            #expect(older.reason == .refreshTokenReused)
        },
        ContractRule("Without attempt ids a lost answer is repeated until the successor is used") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a"))
            for (name, seconds) in [("b", 61), ("c", -300), ("d", 86_400)] {
                let again = try await world.rotate(session, proof: world.proof(name), after: seconds)
                #expect(again.repeatedGeneration == 1)
            }
            #expect(try await world.rotate(session, generation: 1, proof: world.proof("e")).rotatedGeneration == 2)
            #expect(try await world.rotate(session, proof: world.proof("f")) == .nonceDemanded)
            #expect(try await world.isLive(session))
        },
        ContractRule("Without attempt ids a lost answer is repeated as long as the app configures") {
            world async throws in
            var policy = SessionPolicy()
            policy.boundGrace = 30
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a"), policy: policy)
            let last = try await world.rotate(session, proof: world.proof("b"), after: 30, policy: policy)
            #expect(last.repeatedGeneration == 1)
            let late = try await world.rotate(session, proof: world.proof("c"), after: 31, policy: policy)
            #expect(late.reason == .refreshTokenReused)
        },
        ContractRule("The grace time of a session without a key is ten seconds") { world async throws in
            let session = try await world.signIn(try await world.addUser(), key: nil)
            #expect(try await world.rotate(session, proof: nil).rotatedGeneration == 1)
            #expect(try await world.rotate(session, proof: nil, after: 10).repeatedGeneration == 1)
            #expect(try await world.rotate(session, proof: nil, after: 11).reason == .refreshTokenReused)
        },
        ContractRule("Reuse of a token revokes the whole session, with events (R4)") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a"))
            let theft = try await world.rotate(session, proof: world.proof("x", key: "thief"))
            #expect(theft.reason == .refreshTokenReused)
            #expect(try await !world.isLive(session))
            let successor = try await world.rotate(session, generation: 1, proof: world.proof("b"))
            #expect(successor == .refused(.unauthorized))
            #expect(try await world.happened() == [.sessionCreated, .refreshTokenReused, .sessionRevoked])
        },
        // Proves: X8
        ContractRule("A token older than the last is reuse in the next nonce window, even with its key") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a"))
            _ = try await world.rotate(session, generation: 1, proof: world.proof("b"))
            let early = try await world.rotate(session, proof: world.proof("c", hasNonce: true))
            #expect(early == .nonceDemanded)
            #expect(try await world.isLive(session))
            let later = world.proof("d", hasNonce: true, window: 200)
            #expect(try await world.rotate(session, proof: later, after: 201).reason == .refreshTokenReused)
        },
        ContractRule("The generation at the start of a nonce window is stored until the next window") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            for index in 0..<4 {
                let window = index < 2 ? -100 : 200
                let proof = world.proof("\(index)", hasNonce: true, window: window)
                _ = try await world.rotate(session, generation: Int64(index), proof: proof, after: window + 101 + index)
                let stored = try await world.store.session(session.id, app: world.app)
                #expect(stored?.settledGeneration == (index < 2 ? 0 : 2))
            }
        },
        ContractRule("The current token without its key, or with another key, is rejected and changes nothing") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            #expect(try await world.rotate(session, proof: nil) == .refused(.missingProof))
            let foreign = try await world.rotate(session, proof: world.proof("x", key: "thief"))
            #expect(foreign == .refused(.proofKeyMismatch))
            #expect(try await world.rotate(session, proof: world.proof("a")).rotatedGeneration == 1)
        },
        ContractRule("An old token without its key is reuse") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a"))
            #expect(try await world.rotate(session, proof: nil).reason == .refreshTokenReused)
        },
        ContractRule("A replayed proof with the current token is rejected and changes nothing") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)))
            let replay = try await world.rotate(session, proof: world.proof("a"))
            #expect(replay == .refused(.replayedProof))
            #expect(try await world.rotate(session, proof: world.proof("b")).rotatedGeneration == 1)
        },
        // Proves: X9
        ContractRule("A replayed proof with the old token revokes nothing, even if its replay memory has expired") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let proof = world.proof("a", lasts: 5)
            _ = try await world.rotate(session, proof: proof)
            let replay = try await world.rotate(session, proof: proof, after: 3600)
            #expect(replay == .refused(.replayedProof))
            #expect(try await world.isLive(session))
        },
        ContractRule("A proof by another key than the session's is not remembered") { world async throws in
            let user = try await world.addUser()
            let (mine, other) = (try await world.signIn(user), try await world.signIn(user, key: "key-2"))
            #expect(try await world.rotate(other, proof: world.proof("a")) == .refused(.proofKeyMismatch))
            #expect(try await world.rotate(mine, proof: world.proof("a")).rotatedGeneration == 1)
        },
        ContractRule("A stale proof is answered with a demand for a nonce, which holds from then on (RFC 9449 §11.3)") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let stale = try await world.rotate(session, proof: world.proof("a", isFresh: false))
            #expect(stale == .nonceDemanded)
            #expect(try await world.store.session(session.id, app: world.app)?.demandsNonce == true)
            #expect(try await world.rotate(session, proof: world.proof("b")) == .nonceDemanded)
            let fresh = try await world.rotate(session, proof: world.proof("c", hasNonce: true))
            #expect(fresh.rotatedGeneration == 1)
        },
        ContractRule("A stale proof is not remembered") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a", isFresh: false))
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)))
        },
        ContractRule("Unknown, foreign and ended sessions get the same rejection") { world async throws in
            let user = try await world.addUser()
            let (session, ended) = (try await world.signIn(user), try await world.signIn(user))
            let short = try await world.signIn(user, idle: 1)
            _ = try await world.store.perform(
                RevokeSessions(.one(ended.id), reason: .logout, in: world.change(of: user.id)))
            let posing = RotateRefreshToken(
                appID: world.otherApp, sessionID: session.id, generation: 0, proof: world.proof("a"),
                device: Device(), policy: SessionPolicy(), now: world.now, events: world.events())
            #expect(try await world.store.perform(posing) == .refused(.unauthorized))
            for (session, generation) in [(world.newSession(of: user), 0), (ended, 0), (short, 0)] {
                let outcome = try await world.rotate(session, generation: Int64(generation), proof: world.proof("b"))
                #expect(outcome == .refused(.unauthorized))
            }
        },
        ContractRule("A user that may no longer sign in cannot refresh (R8)") {
            world async throws in
            let user = try await world.addUser()
            let (session, browser) = (try await world.signIn(user), try await world.signIn(user, key: nil))
            _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: user.id)))
            // The device proves its key, and learns why.
            #expect(try await world.rotate(session, proof: world.proof("a")) == .refused(.suspendedAccount))
            #expect(try await world.rotate(session, proof: world.proof("b", key: "x")) == .refused(.unauthorized))
            #expect(try await world.rotate(session, proof: nil) == .refused(.unauthorized))
            #expect(try await world.rotate(browser, proof: nil) == .refused(.unauthorized))
            #expect(try await !world.isLive(session))
        },
        ContractRule("A rotation never outlives the absolute end of its session") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            var policy = SessionPolicy()
            policy.idleLifetime = 400 * 86_400
            _ = try await world.rotate(session, proof: world.proof("a"), policy: policy)
            let stored = try await world.store.session(session.id, app: world.app)
            #expect(stored?.expiresAt == session.absoluteExpiresAt)
            let late = try await world.rotate(
                session, generation: 1, proof: world.proof("b"), after: 365 * 86_400, policy: policy)
            #expect(late == .refused(.unauthorized))
        },
    ]
}

extension RotationOutcome {
    var rotatedGeneration: Int64? { if case .rotated(let session, _, _) = self { session.generation } else { nil } }
    var repeatedGeneration: Int64? { if case .repeated(let session, _, _) = self { session.generation } else { nil } }
    var recoveredGeneration: Int64? { if case .recovered(let session, _, _) = self { session.generation } else { nil } }
    var reason: RevocationReason? { if case .revoked(_, let reason) = self { reason } else { nil } }
}
