internal import SessionDomain
internal import Testing

enum SendStepUpCodeRules {
    static let all: [ContractRule] = [
        ContractRule("The code of a step is sent to the user's first identifier of its kind, and stored for the check")
        {
            world async throws in
            let ada = try await addUserWithPhone(world)
            let challenge = try await world.open(
                for: try await world.signIn(ada), steps: [ContractWorld.mailStep, ContractWorld.phoneStep])
            let sent = try #require(try await world.send(challenge).sent)
            #expect(sent.identifier == ada.identifiers[0])
            let stored = try await world.store.verification(tokenHash: challenge.verificationKey, app: world.app)
            #expect(stored == sent)
            let next = try #require(try await world.enter("right", for: challenge).advanced)
            #expect(try await world.send(next).sent?.identifier == ada.identifiers[1])
        },
        ContractRule("The code of a scope that registers an identifier is sent to the new identifier") {
            world async throws in
            let new = try world.mail("new@example.com")
            let challenge = try await world.open(
                for: try await world.signIn(try await world.addUser()), steps: [ContractWorld.mailStep],
                newIdentifier: new)
            #expect(try await world.send(challenge).sent?.identifier == new)
        },
        ContractRule("Sending a code does not require the session's key, because the code goes to the user") {
            world async throws in
            let challenge = try await openMailStep(world)
            #expect(try await world.send(challenge, as: world.reference(challenge, key: nil)).sent != nil)
        },
        ContractRule("After the delay the code of a step is sent again, and later a new one beside it") {
            world async throws in
            var limits = LimitSettings()
            limits.codeLifetime = 80
            for entered in ["right", "new"] {
                let user = try await world.addUser("\(entered)@example.com")
                let challenge = try await world.open(
                    for: try await world.signIn(user), steps: [ContractWorld.mailStep])
                func send(after seconds: Int) async throws -> SendStepUpOutcome {
                    try await world.send(challenge, code: "new", limits: limits, after: seconds)
                }
                _ = try await world.send(challenge, limits: limits)
                #expect(try await send(after: 29) == .limited(until: world.now + 30))
                #expect(try await send(after: 40).sent?.code.hash == "right")
                let other = try await send(after: 70).sent
                #expect(other?.sends == 3 && other?.code.hash == "new" && other?.previousCode?.hash == "right")
                #expect(try await world.enter(entered, for: challenge, limits: limits, after: 71).advanced != nil)
            }
        },
        ContractRule("Of many concurrent requests for another code, one succeeds") { world async throws in
            let challenge = try await openMailStep(world)
            _ = try await world.send(challenge)
            let outcomes = try await concurrently(16) { index in
                try await world.send(challenge, code: "code \(index)", after: 30)
            }
            #expect(outcomes.compactMap(\.sent).count == 1)
            #expect(outcomes.filter { $0 == .limited(until: world.now + 60) }.count == 15)
        },
        ContractRule("A first code counts as a start of the session, and starts of strangers do not count") {
            world async throws in
            var limits = LimitSettings()
            limits.starts = RateLimit(limit: 2, window: 600)
            let challenge = try await openMailStep(world)
            for token in ["a", "b", "c"] { try await world.begin(try world.mail("ADA@example.com"), token: token) }
            _ = try await world.send(challenge, limits: limits)
            // A code that is sent again does not count as a start.
            #expect(try await world.send(challenge, limits: limits, after: 30).sent?.sends == 2)
            let session = try #require(try await world.store.session(challenge.sessionID, app: world.app))
            _ = try await world.send(
                try await world.open(for: session, steps: [ContractWorld.mailStep]), limits: limits)
            let second = try await world.open(for: session, steps: [ContractWorld.mailStep])
            #expect(try await world.send(second, limits: limits) == exhausted(session, world))
            let stored = try await world.store.verification(tokenHash: second.verificationKey, app: world.app)
            #expect(stored == nil)
        },
        ContractRule("A code after an expired one counts as a start again") { world async throws in
            var limits = LimitSettings()
            limits.codeLifetime = 20
            limits.starts = RateLimit(limit: 2, window: 600)
            let challenge = try await openMailStep(world)
            _ = try await world.send(challenge, limits: limits)
            let next = try await world.send(challenge, code: "next", limits: limits, after: 20).sent
            #expect(next?.sends == 1)
            #expect(try await world.enter("next", for: challenge, after: 21).advanced != nil)
            let session = try #require(try await world.store.session(challenge.sessionID, app: world.app))
            let second = try await world.open(for: session, steps: [ContractWorld.mailStep])
            #expect(try await world.send(second, limits: limits, after: 21) == exhausted(session, world))
        },
        ContractRule("A step without a code, and a completed challenge, send no code") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let custom = try await world.open(for: session, steps: [ContractWorld.customStep])
            let completed = try await world.open(for: session)
            for challenge in [custom, completed] {
                #expect(try await world.send(challenge) == .refused(.stepNotFound))
            }
        },
        ContractRule("No code is sent if the user has no identifier of its kind") { world async throws in
            let challenge = try await world.open(
                for: try await world.signIn(try await world.addUser()), steps: [ContractWorld.phoneStep])
            #expect(try await world.send(challenge) == .refused(.scopeIdentifierMismatch))
        },
        ContractRule("No code is sent for a token of another session, an old token, or an expired one (R12)") {
            world async throws in
            let challenge = try await openMailStep(world)
            let foreign = world.reference(challenge, session: "ses_other")
            #expect(try await world.send(challenge, as: foreign) == .refused(.invalidChallenge))
            let otherUser = world.reference(challenge, user: "usr_other")
            #expect(try await world.send(challenge, as: otherUser) == .refused(.invalidChallenge))
            #expect(try await world.send(challenge, app: world.otherApp) == .refused(.invalidChallenge))
            let old = challenge.advanced(tokenID: "chl_other", at: world.now)
            #expect(try await world.send(challenge, as: world.reference(old)) == .refused(.challengeReused))
            #expect(try await world.send(challenge, after: 100) == .refused(.expiredChallenge))
            #expect(try await world.send(challenge, after: 99).sent != nil)
        },
        ContractRule("No code is sent for a session that has ended (R8)") { world async throws in
            let challenge = try await openMailStep(world)
            let session = try #require(try await world.store.session(challenge.sessionID, app: world.app))
            try await world.endSession(session)
            #expect(try await world.send(challenge) == .refused(.invalidChallenge))
        },
    ]

    static func openMailStep(_ world: ContractWorld) async throws -> StepUpChallenge {
        try await world.open(for: try await world.signIn(try await world.addUser()), steps: [ContractWorld.mailStep])
    }

    private static func exhausted(_ session: Session, _ world: ContractWorld) -> SendStepUpOutcome {
        let owner = BudgetOwner.session(id: session.id, userID: session.userID)
        return .exhausted(ReachedLimit(.starts(owner), until: world.now + 600))
    }

    static func addUserWithPhone(_ world: ContractWorld) async throws -> User {
        let ada = try await world.addUser()
        _ = try await world.store.perform(AddIdentifier(try world.phone("+14155550100"), in: world.change(of: ada.id)))
        return try #require(try await world.store.user(ada.id, app: world.app))
    }
}
