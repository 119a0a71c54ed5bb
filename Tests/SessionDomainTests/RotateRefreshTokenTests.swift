import SessionDomain
import SessionTokens
import Testing

@Suite("What a presented refresh token leads to")
struct RotateRefreshTokenTests {
    private static let now = Timestamp(seconds: 1_000_000)

    private func session(
        generation: Int64 = 5, key: String? = "key", demandsNonce: Bool = false, rotatedSecondsAgo: Int = 5
    ) throws -> Session {
        Session(
            id: "ses_1", appID: try #require(AppID("testapp")), userID: "usr_1", generation: generation,
            keyThumbprint: key, lastProof: "last", demandsNonce: demandsNonce, device: Device(),
            createdAt: Self.now - 1000, rotatedAt: Self.now - rotatedSecondsAgo, idleExpiresAt: Self.now + 1000,
            absoluteExpiresAt: Self.now + 2000)
    }

    private func proof(
        key: String = "key", replayKey: String = "new", hasNonce: Bool = false, isFresh: Bool = true
    ) -> ProofUse {
        ProofUse(
            thumbprint: key, replayKey: replayKey, rememberUntil: Self.now + 600, hasNonce: hasNonce, isFresh: isFresh)
    }

    private func decide(
        _ session: Session, generation: Int64 = 5, proof: ProofUse?, status: User.Status = .active,
        isReplay: Bool = false, app: String = "testapp", configure: (inout SessionPolicy) -> Void = { _ in }
    ) throws -> String {
        let appID = try #require(AppID(app))
        var policy = SessionPolicy()
        configure(&policy)
        let now = Self.now
        let environment = ServiceEnvironment(
            now: { now }, randomBytes: { [UInt8](repeating: 1, count: $0) }, sleep: { _ in })
        let intent = RotateRefreshToken(
            appID: appID, sessionID: session.id, generation: generation, proof: proof, device: Device(),
            policy: policy, now: now, events: EventFactory(appID: appID, environment: environment))
        let user = User(id: "usr_1", appID: session.appID, status: status, identifiers: [], createdAt: now)
        switch intent.decide(session: session, user: user, isReplay: isReplay) {
        case .rotate(let next): return "rotate to \(next.generation)"
        case .repeatSuccessor(let next): return "repeat \(next.generation)"
        case .demandNonce(let next): return next.demandsNonce ? "demand nonce" : "nothing"
        case .revoke(let next, let events, let reason):
            return next.revokedAt == now ? "revoke: \(reason.rawValue), \(events.count) events" : "nothing"
        case .refuse(let refusal): return "refuse: \(refusal)"
        }
    }

    private let reuse = "revoke: refresh_token_reused, 2 events"

    @Test("the current token with its key rotates")
    func current() throws {
        #expect(try decide(session(), proof: proof()) == "rotate to 6")
    }

    @Test("the current token without its key, or with another, is refused and harms nothing")
    func currentWithoutKey() throws {
        #expect(try decide(session(), proof: nil) == "refuse: missingProof")
        #expect(try decide(session(), proof: proof(key: "other")) == "refuse: proofKeyMismatch")
        #expect(try decide(session(), proof: proof(), isReplay: true) == "refuse: replayedProof")
        #expect(try decide(session(), proof: proof(replayKey: "last")) == "refuse: replayedProof")
    }

    @Test("the spent token with its key gets the same successor, for as long as that is unused")
    func lostAnswer() throws {
        #expect(try decide(session(), generation: 4, proof: proof()) == "repeat 5")
        #expect(try decide(session(rotatedSecondsAgo: 90_000), generation: 4, proof: proof()) == "repeat 5")
    }

    @Test("an operator can limit that time", arguments: [(59, "repeat 5"), (60, "reuse")])
    func limitedGrace(seconds: Int, expected: String) throws {
        let decision = try decide(session(rotatedSecondsAgo: seconds), generation: 4, proof: proof()) {
            $0.boundGrace = 60
        }
        #expect(decision == (expected == "reuse" ? reuse : expected))
    }

    @Test("the spent token with another key, without a proof, or with a used one is theft")
    func theft() throws {
        #expect(try decide(session(), generation: 4, proof: proof(key: "other")) == reuse)
        #expect(try decide(session(), generation: 4, proof: nil) == reuse)
        #expect(try decide(session(), generation: 4, proof: proof(), isReplay: true) == reuse)
        #expect(try decide(session(), generation: 4, proof: proof(replayKey: "last")) == reuse)
    }

    @Test("a token older than the spent one is theft, whatever comes along")
    func older() throws {
        #expect(try decide(session(), generation: 3, proof: proof()) == reuse)
    }

    @Test("a stale proof is asked for a nonce before anything else, also with a spent token", arguments: [4, 5])
    func stale(generation: Int64) throws {
        #expect(try decide(session(), generation: generation, proof: proof(isFresh: false)) == "demand nonce")
    }

    @Test("RFC 9449 §11.3: a session that was given a nonce must use one from then on")
    func noDowngrade() throws {
        #expect(try decide(session(demandsNonce: true), proof: proof()) == "demand nonce")
        #expect(try decide(session(demandsNonce: true), proof: proof(hasNonce: true)) == "rotate to 6")
    }

    @Test("with the policy always, every proof needs a nonce")
    func always() throws {
        #expect(try decide(session(), proof: proof()) { $0.noncePolicy = .always } == "demand nonce")
        #expect(try decide(session(), proof: proof(hasNonce: true)) { $0.noncePolicy = .always } == "rotate to 6")
    }

    @Test("without a key the spent token is good for ten seconds", arguments: [(9, true), (10, false)])
    func unbound(seconds: Int, isRepeated: Bool) throws {
        let decision = try decide(session(key: nil, rotatedSecondsAgo: seconds), generation: 4, proof: nil)
        #expect(decision == (isRepeated ? "repeat 5" : reuse))
    }

    @Test("R8: a user who is not active loses the session", arguments: [User.Status.inactive, .suspended])
    func inactive(status: User.Status) throws {
        #expect(try decide(session(), proof: proof(), status: status) == "revoke: user_inactive, 1 events")
    }

    @Test("a token of another app, of the future, or of an ended session is refused")
    func notLive() throws {
        #expect(try decide(session(), proof: proof(), app: "another") == "refuse: unauthorized")
        #expect(try decide(session(), generation: 6, proof: proof()) == "refuse: unauthorized")
        var ended = try session()
        ended.revokedAt = Self.now - 1
        #expect(try decide(ended, proof: proof()) == "refuse: unauthorized")
        var idle = try session()
        idle.idleExpiresAt = Self.now
        #expect(try decide(idle, proof: proof()) == "refuse: unauthorized")
    }
}
