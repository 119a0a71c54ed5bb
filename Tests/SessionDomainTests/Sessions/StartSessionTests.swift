import SessionDomain
import SessionTokens
import Testing

@Suite("Starting a session")
struct StartSessionTests {
    private func intent(
        grants: [Grant] = [], epoch: Int64? = 3, endsHolds: Bool = false, replaces: String? = nil
    ) throws -> StartSession {
        StartSession(
            session: try TestApp.session(id: "ses_new"), grants: grants, challengeID: "chl",
            challengeEpoch: epoch, endsHolds: endsHolds, challengeExpiresAt: now + 300, proof: TestApp.proof(),
            previousSessionID: replaces, now: now,
            events: try TestApp.events())
    }

    private var once: [Change] {
        get throws {
            [
                .reserveProof(TestApp.proof(), app: try appID(), now: now),
                .redeem("chl", until: now + 300, app: try appID()),
            ]
        }
    }

    private func user(status: User.Status = .active) throws -> User {
        var user = try TestApp.user([try TestApp.mail(), try TestApp.phone()], status: status)
        user.loginEpoch = 3
        return user
    }

    private func facts(_ fill: (inout Facts) throws -> Void = { _ in }) throws -> Facts {
        try Facts { facts in
            facts.user = try user()
            try fill(&facts)
        }
    }

    @Test("A session starts with its grants, after the proof and the challenge are spent")
    func started() throws {
        let (grant, session) = (try TestApp.grant(), try TestApp.session(id: "ses_new"))
        let event = try TestApp.events().make(.sessionCreated, ["user_id": "usr_1", "session_id": "ses_new"])
        #expect(
            try intent(grants: [grant]).decide(try facts())
                == Decision(
                    .started(try user()),
                    try once + [.insertSession(session), .insertGrant(grant), .append(event)]))
    }

    @Test("A rejected login writes nothing, and a spent proof or challenge is reported before everything else")
    func rejected() throws {
        let (proof, challenge) = (FailedGuard.taken(.proof("proof")), FailedGuard.taken(.redemption("chl")))
        let rows: [(StartSessionOutcome, Facts)] = [
            (.unknownUser, try facts { $0.user = nil }),
            (.inactive(.suspended), try facts { $0.user = try user(status: .suspended) }),
            (.inactive(.inactive), try facts { $0.user = try user(status: .inactive) }),
            (.challengeVoid, try facts { $0.user?.loginEpoch = 4 }),
        ]
        for (outcome, facts) in rows {
            #expect(try intent().decide(facts) == .unwritten(outcome, checking: try once))
            var replayed = facts
            replayed.failures = GuardFailures(challenge)
            #expect(try intent().decide(replayed) == Decision(.challengeReused))
            replayed.failures = GuardFailures(challenge, proof)
            #expect(try intent().decide(replayed) == Decision(.replayedProof))
        }
    }

    @Test("A login that began before the last revocation or change of credentials is void, whatever the time (O12, X3)")
    func void() throws {
        #expect(try intent(epoch: 3).decide(try facts()).outcome == .started(try user()))
        for epoch in [nil, 0, 2, 4] as [Int64?] {
            #expect(try intent(epoch: epoch).decide(try facts()).outcome == .challengeVoid)
        }
    }

    @Test("A login with an identifier that is not held ends the holds of the user, and no other login does (X1)")
    func released() throws {
        var held = try user()
        held.heldUntil = [try TestApp.phone(): now + 60]
        let release = Change.releaseIdentifiers(of: held)
        for (user, endsHolds, isReleased) in [(held, true, true), (held, false, false), (try user(), true, false)] {
            let changes = try intent(endsHolds: endsHolds).decide(Facts { $0.user = user }).changes
            #expect(changes.contains(release) == isReleased)
            #expect(changes.count == (isReleased ? 5 : 4))
        }
    }

    @Test("A login ends the live session that it replaces, if that has the same key or none")
    func replaced() throws {
        let rows: [(Session, Bool)] = [
            (try TestApp.session(), true), (try TestApp.session(key: nil), true),
            (try TestApp.session(key: "other"), false), (try TestApp.session(revokedAt: now - 1), false),
            (try TestApp.session(app: "domain2"), false),
        ]
        for (previous, isReplaced) in rows {
            let changes = try intent(replaces: previous.id).decide(try facts { $0.session = previous }).changes
            let revocation = try TestApp.revocation(previous, .replacedByLogin)
            #expect(Array(changes.dropFirst(2).prefix(3)) == revocation || !isReplaced)
            #expect(changes.count == (isReplaced ? 7 : 4))
        }
    }
}
