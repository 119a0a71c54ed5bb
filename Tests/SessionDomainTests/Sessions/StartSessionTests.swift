import SessionDomain
import SessionTokens
import Testing

@Suite("Starting a session")
struct StartSessionTests {
    private func intent(grants: [Grant] = [], issued: Int = 0, replaces: String? = nil) throws -> StartSession {
        StartSession(
            session: try TestApp.session(id: "ses_new"), grants: grants, challengeID: "chl",
            challengeIssuedAt: now + issued,
            challengeExpiresAt: now + 300, proof: TestApp.proof(), previousSessionID: replaces, maximumSessions: 3,
            now: now,
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

    private func facts(_ fill: (inout Facts) throws -> Void = { _ in }) throws -> Facts {
        try Facts { facts in
            facts.user = try TestApp.user()
            facts.loginsVoidBefore = Timestamp(milliseconds: 0)
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
                    .started(try TestApp.user()),
                    try once + [.insertSession(session), .insertGrant(grant), .append(event)]))
    }

    @Test("A rejected login writes nothing, and a spent proof or challenge is reported before everything else")
    func rejected() throws {
        let (proof, challenge) = (FailedGuard.taken(.proof("proof")), FailedGuard.taken(.redemption("chl")))
        let rows: [(StartSessionOutcome, Facts)] = [
            (.unknownUser, try facts { $0.user = nil }),
            (.inactive(.suspended), try facts { $0.user = try TestApp.user(status: .suspended) }),
            (.inactive(.inactive), try facts { $0.user = try TestApp.user(status: .inactive) }),
            (.challengeVoid, try facts { $0.loginsVoidBefore = now + 1 }),
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

    @Test("A login that began in the second of a change of credentials is valid, one that began before is void (O12)")
    func void() throws {
        func outcome(voidBefore: Timestamp) throws -> StartSessionOutcome {
            try intent().decide(try facts { $0.loginsVoidBefore = voidBefore }).outcome
        }
        #expect(
            try outcome(voidBefore: Timestamp(milliseconds: now.milliseconds + 999)) == .started(try TestApp.user()))
        #expect(try outcome(voidBefore: now + 1) == .challengeVoid)
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
            #expect(Array(changes.dropFirst(2).prefix(2)) == revocation || !isReplaced)
            #expect(changes.count == (isReplaced ? 6 : 4))
        }
    }

    @Test("A login asks for the sessions that are too many beside it")
    func asksForSurplus() throws {
        #expect(try intent().facts.surplusSessions == .init(now: now, keeping: 2))
    }

    @Test("A login above the maximum ends the sessions that were unused longest, with their events")
    func surplus() throws {
        let live = try ["ses_3", "ses_2", "ses_1"].map { try TestApp.session(id: $0) }
        let stranger = try TestApp.session(id: "ses_of_another_user", user: "usr_2")
        let rows: [(surplus: ArraySlice<Session>, previous: Session?, ended: ArraySlice<Session>)] = [
            ([], nil, []), (live[2...], nil, live[2...]), (live[...], nil, live[...]),
            // The session that this login replaces ends anyway.
            (live[2...], live[2], []), (live[...], live[1], [live[0], live[2]]),
            // It would have stayed beside the new one, so the surplus session used last may stay.
            (live[2...], try TestApp.session(id: "ses_9"), []),
            (live[...], try TestApp.session(id: "ses_9"), live[1...]),
            // A session of another user, or one that may not be replaced, makes no room.
            (live[2...], stranger, live[2...]),
            (live[2...], try TestApp.session(id: "ses_9", key: "other"), live[2...]),
        ]
        for (surplus, previous, ended) in rows {
            let decision = try intent(replaces: previous?.id).decide(
                try facts { facts in
                    facts.session = previous
                    facts.surplusSessions = Array(surplus)
                })
            let expected = try ended.flatMap { try TestApp.revocation($0, .sessionLimit) }
            let others = try previous.map { try TestApp.revocation($0, .replacedByLogin) } ?? []
            let revocations = decision.changes.dropFirst(2).dropLast(2).filter { !others.contains($0) }
            #expect(revocations == expected)
        }
    }
}
