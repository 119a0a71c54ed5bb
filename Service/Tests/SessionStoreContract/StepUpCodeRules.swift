internal import SessionDomain
internal import Testing

enum StepUpCodeRules {
    static let all: [ContractRule] = [
        ContractRule("A correct code completes its step with a new token, and the last step completes the challenge") {
            world async throws in
            let ada = try await SendStepUpCodeRules.addUserWithPhone(world)
            let before = try await world.happened()
            let first = try await world.open(
                for: try await world.signIn(ada), steps: [ContractWorld.mailStep, ContractWorld.phoneStep])
            _ = try await world.send(first)
            let second = try #require(try await world.enter("right", for: first).advanced)
            #expect(second == first.advanced(tokenID: second.tokenID, at: world.now + 1))
            #expect(second.tokenID != first.tokenID)
            _ = try await world.send(second, code: "second", after: 2)
            let done = try #require(try await world.enter("second", for: second, after: 3).advanced)
            #expect(done.completedAt == world.now + 3)
            #expect(done.currentStep == nil)
            #expect(try await world.happened() == before + [.sessionCreated])
        },
        ContractRule("The code of a step is not valid for another step, and an old token completes no step (O13)") {
            world async throws in
            let ada = try await SendStepUpCodeRules.addUserWithPhone(world)
            let first = try await world.open(
                for: try await world.signIn(ada), steps: [ContractWorld.mailStep, ContractWorld.phoneStep])
            _ = try await world.send(first)
            let second = try #require(try await world.enter("right", for: first).advanced)
            #expect(try await world.enter("right", for: second) == .spent)
            #expect(try await world.enter("right", for: first) == .refused(.challengeReused))
            #expect(try await world.store.verification(tokenHash: first.verificationKey, app: world.app) == nil)
        },
        ContractRule("Of 32 concurrent correct codes, exactly one completes the step (O2)") { world async throws in
            let challenge = try await openSent(world)
            let outcomes = try await concurrently(32) { _ in try await world.enter("right", for: challenge) }
            #expect(outcomes.compactMap(\.advanced).count == 1)
            #expect(outcomes.filter { $0 == .refused(.challengeReused) }.count == 31)
        },
        ContractRule("Of 32 concurrent wrong codes five count, and then the correct code is rejected, too (O2)") {
            world async throws in
            var limits = LimitSettings()
            limits.checksPerCode = 100
            limits.failedChecks = RateLimit(limit: 100, window: 3600)
            let challenge = try await openSent(world)
            let outcomes = try await concurrently(32) { [limits] _ in
                try await world.enter("wrong", for: challenge, limits: limits)
            }
            #expect(outcomes.filter { $0 == .wrong }.count == 4)
            #expect(outcomes.filter { $0 == .spent }.count == 1)
            #expect(outcomes.filter { $0 == .refused(.invalidChallenge) }.count == 27)
            let stored = try await world.store.verification(tokenHash: challenge.verificationKey, app: world.app)
            #expect(stored?.checks == 5)
            let sixth = try await world.enter("right", for: challenge, limits: limits)
            #expect(sixth == .refused(.invalidChallenge))
            #expect(try await world.send(challenge, after: 40) == .refused(.invalidChallenge))
        },
        ContractRule("A correct code is accepted at the fifth attempt") { world async throws in
            let challenge = try await openSent(world)
            for _ in 0..<4 { #expect(try await world.enter("wrong", for: challenge) == .wrong) }
            #expect(try await world.enter("right", for: challenge).advanced != nil)
        },
        ContractRule("A new code gives the challenge no further attempts (O6)") { world async throws in
            var limits = LimitSettings()
            limits.codeLifetime = 50
            let challenge = try await SendStepUpCodeRules.openMailStep(world)
            _ = try await world.send(challenge, limits: limits)
            for _ in 0..<3 { _ = try await world.enter("wrong", for: challenge) }
            let sent = try await world.send(challenge, code: "new", limits: limits, after: 30).sent
            #expect(sent?.code.hash == "new" && sent?.checks == 3)
            #expect(try await world.enter("wrong", for: challenge, after: 31) == .wrong)
            #expect(try await world.enter("wrong", for: challenge, after: 31) == .spent)
            #expect(try await world.enter("new", for: challenge, after: 31) == .refused(.invalidChallenge))
        },
        ContractRule("A new code gives the session no further attempts (O6)") { world async throws in
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 3, window: 3600)
            limits.codeLifetime = 50
            let challenge = try await SendStepUpCodeRules.openMailStep(world)
            _ = try await world.send(challenge, limits: limits)
            for _ in 0..<2 { _ = try await world.enter("wrong", for: challenge, limits: limits) }
            #expect(try await world.send(challenge, code: "new", limits: limits, after: 30).sent?.code.hash == "new")
            #expect(try await world.enter("wrong", for: challenge, limits: limits, after: 31) == .wrong)
            let limited = try await world.enter("new", for: challenge, limits: limits, after: 31)
            #expect(limited == Self.limited(challenge, until: world.now + 3601))
        },
        ContractRule("Failed logins of a stranger do not limit the steps of a session (X5)") { world async throws in
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 3, window: 3600)
            let challenge = try await openSent(world)
            try await world.begin(try world.mail("ada@example.com"), token: "login")
            for _ in 0..<3 { #expect(try await world.check("wrong", token: "login", limits: limits) == .wrong) }
            #expect(try await world.check("right", token: "login", limits: limits) != .wrong)
            for _ in 0..<3 { #expect(try await world.enter("wrong", for: challenge, limits: limits) == .wrong) }
            let limited = Self.limited(challenge, until: world.now + 3601)
            #expect(try await world.enter("right", for: challenge, limits: limits) == limited)
            // A limited attempt does not count: the challenge has two attempts left.
            #expect(try await world.enter("wrong", for: challenge) == .wrong)
            #expect(try await world.enter("wrong", for: challenge) == .spent)
            #expect(try await world.enter("right", for: challenge) == .refused(.invalidChallenge))
        },
        ContractRule("Failed steps do not limit the logins of the user, and clear with a correct code") {
            world async throws in
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 2, window: 3600)
            let challenge = try await openSent(world)
            try await world.begin(try world.mail("ada@example.com"), token: "login")
            _ = try await world.enter("wrong", for: challenge, limits: limits)
            #expect(try await world.enter("right", for: challenge, limits: limits).advanced != nil)
            for _ in 0..<2 { #expect(try await world.check("wrong", token: "login", limits: limits) == .wrong) }
        },
        ContractRule("Attempts to register an identifier also count as those of strangers at it") {
            world async throws in
            var limits = LimitSettings()
            limits.failedChecks = RateLimit(limit: 2, window: 3600)
            let new = try world.mail("new@example.com")
            let challenge = try await world.open(
                for: try await world.signIn(try await world.addUser()), steps: [ContractWorld.mailStep],
                newIdentifier: new)
            _ = try await world.send(challenge)
            _ = try await world.enter("wrong", for: challenge, limits: limits)
            try await world.begin(new, token: "login")
            #expect(try await world.check("wrong", token: "login", limits: limits) == .wrong)
            let failures = CounterKey.failures(.anonymous(new), .hour)
            let outcome = try await world.enter("right", for: challenge, limits: limits)
            #expect(outcome == .limited(ReachedLimit(failures, until: world.now + 3601)))
        },
        ContractRule("An attempt without a running code needs a new code and is not counted") { world async throws in
            var limits = LimitSettings()
            limits.codeLifetime = 20
            let challenge = try await SendStepUpCodeRules.openMailStep(world)
            for _ in 0..<6 { #expect(try await world.enter("right", for: challenge) == .spent) }
            _ = try await world.send(challenge, limits: limits)
            for _ in 0..<6 { #expect(try await world.enter("right", for: challenge, after: 20) == .spent) }
            #expect(try await world.enter("right", for: challenge, after: 19).advanced != nil)
        },
        ContractRule("Without the session's key, or with another key, no code is compared or counted") {
            world async throws in
            let challenge = try await openSent(world)
            for _ in 0..<6 {
                let without = world.reference(challenge, key: nil)
                #expect(try await world.enter("right", for: challenge, as: without) == .refused(.missingProof))
                let foreign = world.reference(challenge, key: "thief")
                #expect(try await world.enter("right", for: challenge, as: foreign) == .refused(.proofKeyMismatch))
            }
            #expect(try await world.enter("right", for: challenge).advanced != nil)
        },
        ContractRule("A step of a session without a key requires its refresh token (R12)") { world async throws in
            let session = try await world.signIn(try await world.addUser(), key: nil)
            let challenge = try await world.open(for: session, steps: [ContractWorld.mailStep])
            _ = try await world.send(challenge)
            let nothing = world.reference(challenge, key: nil)
            #expect(try await world.enter("right", for: challenge, as: nothing) == .refused(.unauthorized))
            let holder = world.reference(challenge, key: nil, held: session.id)
            #expect(try await world.enter("right", for: challenge, as: holder).advanced != nil)
        },
        ContractRule("A token of another session, user or app, or an expired one, completes no step (R12)") {
            world async throws in
            let challenge = try await openSent(world)
            let session = world.reference(challenge, session: "ses_other")
            #expect(try await world.enter("right", for: challenge, as: session) == .refused(.invalidChallenge))
            let user = world.reference(challenge, user: "usr_other")
            #expect(try await world.enter("right", for: challenge, as: user) == .refused(.invalidChallenge))
            #expect(try await world.enter("right", for: challenge, app: world.otherApp) == .refused(.invalidChallenge))
            #expect(try await world.enter("right", for: challenge, after: 100) == .refused(.expiredChallenge))
            #expect(try await world.enter("right", for: challenge, after: 99).advanced != nil)
        },
        ContractRule("A session that has ended, or whose user is suspended, completes no step (R8)") {
            world async throws in
            let ended = try await openSent(world)
            try await world.endSession(try #require(try await world.store.session(ended.sessionID, app: world.app)))
            #expect(try await world.enter("right", for: ended) == .refused(.invalidChallenge))
            let bob = try await world.addUser("bob@example.com")
            let bobs = try await world.open(for: try await world.signIn(bob), steps: [ContractWorld.mailStep])
            _ = try await world.send(bobs)
            _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: bob.id)))
            #expect(try await world.enter("right", for: bobs) == .refused(.invalidChallenge))
        },
    ]

    private static func limited(_ challenge: StepUpChallenge, until time: Timestamp) -> StepOutcome {
        let owner = BudgetOwner.session(id: challenge.sessionID, userID: challenge.userID)
        return .limited(ReachedLimit(.failures(owner, .hour), until: time))
    }

    /// A challenge whose code was sent.
    private static func openSent(_ world: ContractWorld) async throws -> StepUpChallenge {
        let challenge = try await SendStepUpCodeRules.openMailStep(world)
        guard try await world.send(challenge).sent != nil else { throw ContractFailure("no code was sent") }
        return challenge
    }
}
