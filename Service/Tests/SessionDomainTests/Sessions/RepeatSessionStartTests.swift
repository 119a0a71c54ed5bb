import SessionDomain
import Testing

@Suite("Repeating the start of a session, as a table")
struct RepeatSessionStartTests {
    private func session(of user: String = "usr_1", _ change: (inout Session) -> Void = { _ in }) throws -> Session {
        var session = Session(
            id: "ses_1", appID: try appID(), userID: user, keyThumbprint: "key",
            attempts: RotationAttempts(last: "login"), device: Device(), createdAt: now - 1,
            idleExpiresAt: now + 1000, absoluteExpiresAt: now + 1000)
        change(&session)
        return session
    }

    private func decide(
        attempt: String? = "login", key: String = "key", isReplay: Bool = false, _ stored: Session?
    ) throws -> Decision<RepeatSessionStartOutcome> {
        let proof = ProofUse(
            thumbprint: key, replayKey: "proof", rememberUntil: now + 180, nonce: nil, windowStart: now - 100,
            isFresh: true, issuedAt: now, attempt: attempt)
        let intent = RepeatSessionStart(of: try session(), proof: proof, now: now)
        return intent.decide(
            try FoundRows { facts in
                facts.session = stored
                facts.user = try TestApp.user()
                facts.grants = [try TestApp.grant()]
                if isReplay { facts.failures.add(.taken(.proof("proof"))) }
            })
    }

    @Test("The same attempt gets the session and its grants again, and its proof is spent")
    func repeated() throws {
        let decision = try decide(try session())
        #expect(decision.outcome == .repeated(try session(), try TestApp.user(), [try TestApp.grant()]))
        guard case .reserveProof = decision.changes.first, decision.changes.count == 1 else {
            Issue.record("other changes: \(decision.changes)")
            return
        }
    }

    @Test("A replayed proof is rejected")
    func replay() throws {
        #expect(try decide(isReplay: true, try session()) == Decision(.replayedProof))
    }

    @Test("Another device, another attempt, and a session that has refreshed or ended are a second use")
    func conflicts() throws {
        var ended = try session()
        ended.revokedAt = now - 1
        let others = [
            nil, ended, try session { $0.generation = 1 }, try session { $0.attempts = RotationAttempts() },
            try session { $0.attempts = RotationAttempts(last: "next", earlier: ["login"]) },
            try session(of: "usr_2"),
        ]
        for stored in others { #expect(try decide(stored) == Decision(.challengeReused)) }
        #expect(try decide(attempt: "other", try session()) == Decision(.challengeReused))
        #expect(try decide(attempt: nil, try session()) == Decision(.challengeReused))
        #expect(
            try decide(attempt: nil, try session { $0.attempts = RotationAttempts() }) == Decision(.challengeReused))
        #expect(try decide(key: "other", try session()) == Decision(.challengeReused))
    }
}
