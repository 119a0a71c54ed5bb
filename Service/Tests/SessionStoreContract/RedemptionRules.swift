internal import SessionDomain
internal import SessionTokens
internal import Testing

/// How a refresh turns a completed challenge into a grant.
enum RedemptionRules {
    static let all: [ContractRule] = [
        ContractRule("A refresh with a completed challenge carries its grant, counted from completion, with an event") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open("pay", for: session, mode: .sessionBound, grantedFor: 100, after: 2)
            let outcome = try await world.rotate(
                session, proof: world.proof("a"), redeeming: world.reference(challenge), after: 60)
            guard case .rotated(let next, _, let grants) = outcome else { throw ContractFailure("\(outcome)") }
            #expect(next.generation == 1)
            #expect(grants.count == 1)
            let expected = grants.first.map {
                Grant(
                    id: $0.id, appID: world.app, userID: session.userID, sessionID: session.id, scope: "pay",
                    mode: .sessionBound, generation: 1, expiresAt: world.now + 102)
            }
            #expect(grants.first == expected)
            let appended = try await world.store.events(app: world.app, limit: 1, offset: 0).first
            #expect(appended?.name == .stepUpGranted)
            #expect(appended?.data["scope"] == "pay")
            #expect(appended?.data["session_id"] == .string(session.id))
        },
        ContractRule("A completed challenge is redeemed once, and a later refresh with it changes nothing (S3)") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let reference = world.reference(try await world.open(for: session, mode: .sessionBound))
            _ = try await world.rotate(session, proof: world.proof("a"), redeeming: reference)
            let before = try await world.store.session(session.id, app: world.app)
            let second = try await world.rotate(
                session, generation: 1, proof: world.proof("b"), redeeming: reference)
            #expect(second == .refused(.challengeReused))
            #expect(try await world.store.session(session.id, app: world.app) == before)
            let plain = try await world.rotate(session, generation: 1, proof: world.proof("c"))
            #expect(plain.grants?.count == 1)
        },
        ContractRule("32 concurrent refreshes with one challenge get one grant and one event (R17)") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let reference = world.reference(try await world.open(for: session))
            let outcomes = try await concurrently(32) { index in
                try await world.rotate(session, proof: world.proof("\(index)"), redeeming: reference)
            }
            #expect(outcomes.compactMap(\.rotatedGeneration) == [1])
            #expect(outcomes.compactMap(\.repeatedGeneration).count == 31)
            #expect(Set(outcomes.compactMap { $0.grants?.map(\.id) }).count == 1)
            #expect(outcomes.allSatisfy { $0.grants?.count == 1 })
            #expect(try await world.happened() == [.sessionCreated, .stepUpGranted])
        },
        ContractRule("Of 32 sessions that redeem one challenge concurrently, only its own gets the grant (R17)") {
            world async throws in
            let ada = try await world.addUser()
            let sessions = try await concurrently(32) { _ in try await world.signIn(ada) }
            let reference = world.reference(try await world.open(for: sessions[7]))
            let outcomes = try await concurrently(32) { index in
                try await world.rotate(sessions[index], proof: world.proof("\(index)"), redeeming: reference)
            }
            #expect(outcomes.compactMap(\.grants).map(\.count) == [1])
            #expect(outcomes.filter { $0 == .refused(.challengeMismatch) }.count == 31)
            #expect(try await world.rotate(sessions[7], proof: world.proof("again")).repeatedGeneration == 1)
            #expect(try await world.rotate(sessions[8], proof: world.proof("plain")).rotatedGeneration == 1)
        },
        ContractRule("A lost answer is repeated with the same grant, even after the challenge expired") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let reference = world.reference(try await world.open(for: session, mode: .sessionBound, grantedFor: 3600))
            let first = try await world.rotate(
                session, proof: world.proof("a", attempt: "one"), redeeming: reference)
            let again = try await world.rotate(
                session, proof: world.proof("b", attempt: "one"), redeeming: reference,
                after: StepUpChallenge.redemptionTime + 1)
            #expect(again.repeatedGeneration == 1)
            #expect(again.grants == first.grants)
            #expect(first.grants?.count == 1)
            #expect(try await world.happened() == [.sessionCreated, .stepUpGranted])
        },
        ContractRule(
            "A lost answer without a grant is repeated with one if the client redeems a challenge in the meantime"
        ) {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let reference = world.reference(try await world.open(for: session))
            #expect(try await world.rotate(session, proof: world.proof("a")).grants == [])
            let again = try await world.rotate(session, proof: world.proof("b"), redeeming: reference)
            #expect(again.repeatedGeneration == 1)
            #expect(again.grants?.map(\.generation) == [1])
        },
        ContractRule("A challenge with an open step grants nothing, and the session keeps its generation (S1)") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open(for: session, steps: [ContractWorld.customStep])
            try await refuse(.stepNotCompleted, world.reference(challenge), session, world)
            let done = try #require(try await world.report("kyc", token: "t", for: challenge).advanced)
            // The token from before the step is no longer valid for the completed challenge.
            try await refuse(.challengeReused, world.reference(challenge), session, world)
            let outcome = try await world.rotate(
                session, proof: world.proof("last"), redeeming: world.reference(done))
            #expect(outcome.grants?.count == 1)
        },
        ContractRule(
            "A challenge of another session, user or app, or an unknown one, is rejected and spends nothing (R12)"
        ) {
            world async throws in
            let (ada, bob) = (try await world.addUser(), try await world.addUser("bob@example.com"))
            let session = try await world.signIn(ada)
            let adas = try await world.open(for: try await world.signIn(ada))
            let bobs = try await world.open(for: try await world.signIn(bob))
            for challenge in [adas, bobs] {
                try await refuse(.challengeMismatch, world.reference(challenge), session, world)
            }
            // The stored challenge belongs to another session, whatever the token claims.
            let claimed = world.reference(bobs, session: session.id, user: ada.id)
            try await refuse(.invalidChallenge, claimed, session, world)
            let foreigner = try await world.addUser(app: world.otherApp)
            let foreign = try await world.open(for: try await world.signIn(foreigner))
            try await refuse(
                .invalidChallenge, world.reference(foreign, session: session.id, user: ada.id), session, world)
        },
        ContractRule("An expired challenge grants nothing, nor does one whose grant would have expired") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let challenge = try await world.open(for: session, grantedFor: 0)
            let late = StepUpChallenge.redemptionTime
            try await refuse(.expiredChallenge, world.reference(challenge), session, world, after: late)
            let short = try await world.open(for: session, mode: .sessionBound, grantedFor: 10)
            try await refuse(.expiredChallenge, world.reference(short), session, world, after: 10)
            let outcome = try await world.rotate(
                session, proof: world.proof("last"), redeeming: world.reference(short), after: 9)
            #expect(outcome.grants?.count == 1)
        },
        ContractRule("A rejected refresh redeems nothing") { world async throws in
            let ada = try await world.addUser()
            let session = try await world.signIn(ada)
            let reference = world.reference(try await world.open(for: session))
            let foreign = try await world.rotate(
                session, proof: world.proof("x", key: "thief"), redeeming: reference)
            #expect(foreign == .refused(.proofKeyMismatch))
            let stale = try await world.rotate(
                session, proof: world.proof("y", isFresh: false), redeeming: reference)
            #expect(stale == .nonceDemanded)
            let outcome = try await world.rotate(
                session, proof: world.proof("z", hasNonce: true), redeeming: reference)
            #expect(outcome.grants?.count == 1)
        },
        ContractRule("An ended session redeems nothing") { world async throws in
            let ada = try await world.addUser()
            let (session, other) = (try await world.signIn(ada), try await world.signIn(ada))
            let reference = world.reference(try await world.open(for: session, mode: .profileBound))
            try await world.endSession(session)
            let outcome = try await world.rotate(session, proof: world.proof("a"), redeeming: reference)
            #expect(outcome == .refused(.unauthorized))
            #expect(try await world.rotate(other, proof: world.proof("b")).grants == [])
        },
    ]

    /// Tries a redemption that must be rejected and must change neither session, grants nor events.
    private static func refuse(
        _ refusal: Refusal, _ reference: ChallengeReference, _ session: Session, _ world: ContractWorld,
        after seconds: Int = 1
    ) async throws {
        let before = (try await world.store.session(session.id, app: world.app), try await world.happened())
        let proof = world.proof(world.environment.newID("proof"))
        let outcome = try await world.rotate(session, proof: proof, redeeming: reference, after: seconds)
        #expect(outcome == .refused(refusal))
        #expect(try await world.store.session(session.id, app: world.app) == before.0)
        #expect(try await world.happened() == before.1)
    }
}
