internal import SessionDomain
internal import Synchronization
internal import Testing

@testable import SessionPostgres
@testable import SessionStoreContract

@Suite("Round trips of an intent: one reads, and one writes and commits")
struct RoundTripTests {
    private let store: PostgresStore
    private let world: ContractWorld
    private let connection: PostgresConnection

    init() throws {
        let url = try TestServer.emptySchema()
        var options = PoolOptions()
        options.size = 1
        store = try PostgresStore.open(PostgresLocation(url), options: options)
        world = try ContractWorld(store: store)
        connection = try TestServer.connect(to: url)
    }

    /// Runs an intent, and counts its round trips.
    private func run<I: Intent>(_ intent: I) throws -> (outcome: I.Outcome, roundTrips: Int) {
        let before = connection.pipelines
        let result = Mutex<Result<IntentAttempt<I>.Answer, any Error>?>(nil)
        let attempt = IntentAttempt(intent, revision: SettingsRevision(notifies: true)) { answer in
            result.withLock { $0 = answer }
        }
        try Transaction(connection: connection).run(attempt)()
        let received = result.withLock(\.self)
        let answer = try #require(received).get()
        return (answer.outcome, connection.pipelines - before)
    }

    @Test("A refresh takes two, and so does one that is repeated")
    func refresh() async throws {
        let session = try await world.signIn(world.addUser())
        for name in ["first", "second"] {
            let (outcome, roundTrips) = try run(world.rotation(of: session, proof: world.proof(name)))
            if case .rotated = outcome { #expect(name == "first") } else { #expect(name == "second") }
            #expect(roundTrips == 2)
        }
        await store.close()
    }

    @Test("A login takes two")
    func login() async throws {
        let user = try await world.addUser()
        let (outcome, roundTrips) = try run(world.start(world.newSession(of: user), proof: world.proof("login")))
        #expect(outcome == .started(user))
        #expect(roundTrips == 2)
        await store.close()
    }

    @Test("Each call of a step-up takes two")
    func stepUp() async throws {
        let user = try await world.addUser()
        let session = try await world.signIn(user)
        let challenge = try await world.open(for: session, steps: [ContractWorld.mailStep])
        let opening = try run(
            OpenChallenge(
                challenge: StepUpChallenge(
                    starting: "pay", for: session, terms: GrantTerms(mode: .singleUse, grantedFor: 100), steps: [],
                    newIdentifier: nil, id: "chg", tokenID: "chl", at: world.now), rules: [],
                identifiers: Set(user.establishedIdentifiers(at: world.now)), decidedAt: world.now))
        #expect(opening.outcome)
        #expect(opening.roundTrips == 2)
        _ = try await world.send(challenge)
        let (outcome, roundTrips) = try run(
            CheckStepUpCode(
                appID: world.app, reference: world.reference(challenge), codeHashes: { _ in ["right"] },
                limits: LimitSettings(), hold: 0, nextTokenID: "next", now: world.now + 1, events: world.events()))
        #expect(outcome.advanced != nil)
        #expect(roundTrips == 2)
        // The refresh that redeems it.
        let completed = try await world.open(for: session)
        let redeeming = try run(
            world.rotation(of: session, proof: world.proof("redeem"), redeeming: world.reference(completed)))
        if case .rotated = redeeming.outcome {} else { Issue.record("\(redeeming.outcome)") }
        #expect(redeeming.roundTrips == 2)
        await store.close()
    }

    @Test("A guard that fails costs a rollback, and a second attempt")
    func refusedOnce() async throws {
        let reserve = ReserveProof(world.proof("used"), app: world.app, now: world.now)
        let (first, second) = (try run(reserve), try run(reserve))
        #expect(first.outcome && !second.outcome)
        #expect(first.roundTrips == 2)
        #expect(second.roundTrips == 5)
        await store.close()
    }

    @Test("A guard that always fails ends after the last attempt")
    func refusedAlways() async throws {
        let before = connection.pipelines
        let stubborn = Stubborn(proof: world.proof("used"), app: world.app, now: world.now)
        #expect(throws: PostgresFailure.self) { try run(stubborn) }
        #expect(connection.pipelines - before == 3 * GuardFailures.maximumAttempts)
        await store.close()
    }
}

/// Uses a proof twice, whatever failed before.
private struct Stubborn: Intent {
    let proof: ProofUse
    let app: AppID
    let now: Timestamp

    var reads: Read<Void> { Read(app: app) }

    func decide(_: Void) -> Decision<Void> {
        let change = Change.reserveProof(proof, app: app, now: now)
        return Decision((), [change, change])
    }
}
