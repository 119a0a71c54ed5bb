internal import SessionDomain
internal import Testing

enum ChallengeRules {
    static let all: [ContractRule] = [
        ContractRule("Steps and terms of a challenge come from the store, as they were opened (S5)") {
            world async throws in
            let ada = try await world.addUser()
            let challenge = try await world.open(
                "a:b", for: try await world.signIn(ada), mode: .profileBound, grantedFor: 77,
                steps: [ContractWorld.phoneStep, ContractWorld.customStep],
                newIdentifier: try world.phone("+14155550100"))
            let next = try #require(
                try await world.report("kyc", token: "t", for: challenge, after: 3).advanced)
            #expect(next == challenge.advanced(tokenID: next.tokenID, at: world.now + 3))
            #expect(next.currentStep == ContractWorld.phoneStep)
            #expect(next.newIdentifier?.value == "+14155550100")
        },
        ContractRule("A challenge is found in its app only, by its id only") { world async throws in
            let challenge = try await world.open(
                for: try await world.signIn(try await world.addUser()), steps: [ContractWorld.mailStep])
            #expect(try await world.send(challenge, app: world.otherApp) == .refused(.invalidChallenge))
            let unknown = ChallengeReference(
                id: "chg_unknown", tokenID: challenge.tokenID, sessionID: challenge.sessionID,
                userID: challenge.userID, expiresAt: challenge.expiresAt, proofThumbprint: "key-1")
            #expect(try await world.send(challenge, as: unknown) == .refused(.invalidChallenge))
            #expect(try await world.isOpen(challenge))
        },
        ContractRule(
            "A session has at most 10 open challenges: one more deletes its oldest, and none of another session"
        ) {
            world async throws in
            let ada = try await world.addUser()
            let (session, other) = (try await world.signIn(ada), try await world.signIn(ada))
            let foreign = try await world.open(for: other, steps: [ContractWorld.customStep])
            var challenges: [StepUpChallenge] = []
            for index in 0..<11 {
                if index == 10 { #expect(try await world.isOpen(challenges[0])) }
                challenges.append(
                    try await world.open(for: session, steps: [ContractWorld.customStep], after: index))
            }
            #expect(try await !world.isOpen(challenges[0]))
            for challenge in challenges.dropFirst() + [foreign] { #expect(try await world.isOpen(challenge)) }
        },
        ContractRule("A redeemed challenge does not count as open") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let oldest = try await world.open(for: session, steps: [ContractWorld.customStep])
            for index in 0..<10 {
                let completed = try await world.open(for: session, after: 1 + index)
                let outcome = try await world.rotate(
                    session, generation: Int64(index), proof: world.proof("\(index)"),
                    redeeming: world.reference(completed), after: 1 + index)
                #expect(outcome.grants?.count == 1)
            }
            _ = try await world.open(for: session, after: 20)
            #expect(try await world.isOpen(oldest))
        },
        ContractRule("Of 32 challenges that are opened concurrently, 10 stay open") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenges = try await concurrently(32) { _ in
                try await world.open(for: session, steps: [ContractWorld.customStep])
            }
            var open = 0
            for challenge in challenges where try await world.isOpen(challenge) { open += 1 }
            #expect(open == 10)
        },
        ContractRule("Step-ups are counted per user, until the window ends") { world async throws in
            func count(_ user: String, _ app: AppID, after seconds: Int) async throws -> Timestamp? {
                try await world.store.perform(
                    CountStepUp(
                        user: user, app: app, limit: RateLimit(limit: 2, window: 60), now: world.now + seconds))
            }
            for second in 0..<2 { #expect(try await count("usr_1", world.app, after: second) == nil) }
            #expect(try await count("usr_1", world.app, after: 59) == world.now + 60)
            #expect(try await count("usr_2", world.app, after: 59) == nil)
            #expect(try await count("usr_1", world.otherApp, after: 59) == nil)
            #expect(try await count("usr_1", world.app, after: 60) == nil)
        },
        ContractRule("Concurrent step-ups never exceed their limit (O3)") { world async throws in
            let answers = try await concurrently(32) { _ in
                try await world.store.perform(
                    CountStepUp(
                        user: "usr_1", app: world.app, limit: RateLimit(limit: 5, window: 60), now: world.now))
            }
            #expect(answers.filter { $0 == nil }.count == 5)
        },
        ContractRule("Expired challenges and grants are deleted up to the limit of each, and running ones stay") {
            world async throws in
            let ada = try await world.addUser()
            let old = try await world.signIn(ada, granted: "pay", .profileBound, lasts: 99)
            let kept = try await world.signIn(ada, granted: "keep", .profileBound, lasts: 101)
            let endless = try await world.signIn(
                ada, granted: ReservedScope.writePassword, .singleUse, lasts: 3600)
            for _ in 0..<3 { _ = try await world.open(for: old.session, steps: [ContractWorld.customStep]) }
            let running = try await world.open(for: old.session, steps: [ContractWorld.customStep], after: 1)

            #expect(try await world.deleteExpired(now: world.now + 98, limit: 100) == 0)
            #expect(try await world.deleteExpired(now: world.now + 100, limit: 2) == 3)
            #expect(try await world.deleteExpired(now: world.now + 100, limit: 100) == 1)
            #expect(try await world.deleteExpired(now: world.now + 100, limit: 100) == 0)
            #expect(try await world.isOpen(running))
            let outcome = try await world.rotate(kept.session, proof: world.proof("a"), after: 100)
            #expect(outcome.grants == [kept.grant])
            // The grant that lasts longer is still there.
            let change = ChangePassword(
                appID: world.app, sessionID: endless.session.id, passwordHash: "new", endsOtherSessions: false,
                now: world.now + 100, events: world.events())
            #expect(try await world.store.perform(change) == .changed)
        },
    ]
}
