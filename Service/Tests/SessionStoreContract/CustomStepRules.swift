internal import SessionDomain
internal import Testing

enum CustomStepRules {
    private static let steps = ["kyc", "call"].enumerated().map {
        StepUpStep(order: $0.offset, key: $0.element, expirationDuration: 100)
    }

    static let all: [ContractRule] = [
        ContractRule("Custom steps are completed in their order, each with a new token") { world async throws in
            let first = try await open(world)
            let second = try #require(try await world.report("kyc", token: "1", for: first, after: 2).advanced)
            #expect(second == first.advanced(tokenID: second.tokenID, at: world.now + 2))
            let done = try #require(try await world.report("call", token: "2", for: second, after: 3).advanced)
            #expect(done.completedAt == world.now + 3)
            #expect(Set([first, second, done].map(\.tokenID)).count == 3)
        },
        ContractRule("A step that is not the next one is rejected as bypassed, and nothing is spent (O13)") {
            world async throws in
            let first = try await open(world)
            #expect(try await world.report("call", token: "1", for: first) == .refused(.stepBypassed))
            let second = try #require(try await world.report("kyc", token: "2", for: first).advanced)
            #expect(second.stepsDone == 1)
            #expect(try await world.report("call", token: "1", for: second).advanced != nil)
        },
        ContractRule("A completed step is not completed again") { world async throws in
            let first = try await open(world)
            let second = try #require(try await world.report("kyc", token: "1", for: first).advanced)
            #expect(try await world.report("kyc", token: "2", for: second) == .refused(.challengeReused))
            #expect(try await world.report("kyc", token: "2", for: first) == .refused(.challengeReused))
            #expect(try await world.report("call", token: "2", for: second).advanced != nil)
        },
        ContractRule("An unknown step, or one that needs a code, cannot be reported") { world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open(for: session, steps: [ContractWorld.mailStep])
            for key in ["kyc", StepUpStep.verifyEmail, ""] {
                #expect(try await world.report(key, token: "1", for: challenge) == .refused(.stepNotFound))
            }
        },
        ContractRule("A report about another challenge or user is rejected (R12)") { world async throws in
            let (challenge, other) = (try await open(world), try await open(world, "bob@example.com"))
            let foreign = try await world.report("kyc", token: "1", for: challenge, about: other)
            #expect(foreign == .refused(.challengeMismatch))
            let user = try await world.report("kyc", token: "1", for: challenge, user: other.userID)
            #expect(user == .refused(.challengeMismatch))
            #expect(try await world.report("kyc", token: "1", for: challenge).advanced != nil)
        },
        ContractRule("An operator's token is valid once, for any challenge of the app (S3)") { world async throws in
            let (challenge, other) = (try await open(world), try await open(world, "bob@example.com"))
            let second = try #require(try await world.report("kyc", token: "same", for: challenge).advanced)
            for repeated in [(second, "call"), (other, "kyc")] {
                let outcome = try await world.report(repeated.1, token: "same", for: repeated.0)
                #expect(outcome == .refused(.challengeReused))
            }
            #expect(try await world.report("kyc", token: "fresh", for: other).advanced?.stepsDone == 1)
        },
        ContractRule("An operator's token does not spend a login challenge with the same id") { world async throws in
            let challenge = try await open(world)
            let ada = try #require(try await world.store.user(challenge.userID, app: world.app))
            #expect(try await world.report("kyc", token: "name", for: challenge).advanced != nil)
            let login = world.start(world.newSession(of: ada), challenge: "name")
            #expect(try await world.store.perform(login) == .started(ada))
        },
        ContractRule("Of 32 concurrent reports of one step, exactly one completes it (S4)") { world async throws in
            let challenge = try await open(world)
            let outcomes = try await concurrently(32) { index in
                try await world.report("kyc", token: "\(index)", for: challenge)
            }
            #expect(outcomes.compactMap(\.advanced).map(\.stepsDone) == [1])
            #expect(outcomes.filter { $0 == .refused(.challengeReused) }.count == 31)
        },
        ContractRule("Of 9 challenges that use one operator's token concurrently, one advances (S3)") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            var challenges: [StepUpChallenge] = []
            for _ in 0..<9 { challenges.append(try await world.open(for: session, steps: steps)) }
            let outcomes = try await concurrently(9) { [challenges] index in
                try await world.report("kyc", token: "same", for: challenges[index])
            }
            #expect(outcomes.compactMap(\.advanced).count == 1)
        },
        ContractRule("A token of another session or user, an old one, or one without its key completes no step (R12)") {
            world async throws in
            let challenge = try await open(world)
            let rows: [(ChallengeReference, Refusal)] = [
                (world.reference(challenge, session: "ses_other"), .invalidChallenge),
                (world.reference(challenge, user: "usr_other"), .invalidChallenge),
                (world.reference(challenge, key: nil), .missingProof),
                (world.reference(challenge, key: "thief"), .proofKeyMismatch),
                (world.reference(challenge.advanced(tokenID: "chl_other", at: world.now)), .challengeReused),
            ]
            for (reference, refusal) in rows {
                let outcome = try await world.report("kyc", token: "1", for: challenge, as: reference)
                #expect(outcome == .refused(refusal))
            }
            let elsewhere = try await world.report("kyc", token: "1", for: challenge, app: world.otherApp)
            #expect(elsewhere == .refused(.invalidChallenge))
            let late = try await world.report("kyc", token: "1", for: challenge, after: 100)
            #expect(late == .refused(.expiredChallenge))
            // None of these calls spent the operator's token.
            #expect(try await world.report("kyc", token: "1", for: challenge, after: 99).advanced != nil)
        },
        ContractRule("A session that has ended completes no step (R8)") { world async throws in
            let challenge = try await open(world)
            try await world.endSession(
                try #require(try await world.store.session(challenge.sessionID, app: world.app)))
            #expect(try await world.report("kyc", token: "1", for: challenge) == .refused(.invalidChallenge))
        },
    ]

    private static func open(
        _ world: ContractWorld, _ address: String = "ada@example.com"
    ) async throws -> StepUpChallenge {
        try await world.open(for: try await world.signIn(try await world.addUser(address)), steps: steps)
    }
}
