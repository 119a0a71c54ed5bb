import SessionDomain
import SessionTokens
import Testing

@Suite("Starting a session")
struct StartSessionTests {
    private func intent(
        grants: [Grant] = [], epoch: Int64? = 3, endsHolds: Bool = false, replaces: String? = nil,
        verification: String? = nil, locale: String? = nil
    ) throws -> StartSession {
        StartSession(
            session: try TestApp.session(id: "ses_new"), grants: grants, challengeID: "chl",
            verification: verification, challengeEpoch: epoch, endsHolds: endsHolds, challengeExpiresAt: now + 300,
            proof: TestApp.proof(),
            previousSessionID: replaces, maximumSessions: 3, now: now,
            events: try TestApp.events(), locale: locale)
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

    private func facts(_ fill: (inout FoundRows) throws -> Void = { _ in }) throws -> FoundRows {
        try FoundRows { facts in
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

    @Test(
        "A login stores the language of its request, unless it is stored or the request names none",
        arguments: [
            (nil, "fr", "fr"), ("de", "fr", "fr"), ("fr", "fr", nil), ("fr", nil, nil), (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func locale(stored: String?, requested: String?, written: String?) throws {
        let decision = try intent(locale: requested).decide(try facts { $0.user?.locale = stored })
        let locales = decision.changes.compactMap { change -> String? in
            if case .setLocale(let locale, _) = change { locale } else { nil }
        }
        #expect(locales == (written.map { [$0] } ?? []))
    }

    @Test("A session ends the verification whose code it answers, and a rejected login does not")
    func endsVerification() throws {
        let running = try TestApp.verification(codeChallenge: "pkce")
        #expect(try intent().reads.query.verification == nil)
        #expect(try intent(verification: "token").reads.query.verification == .tokenHash("token"))
        let started = try intent(verification: "token").decide(try facts { $0.verification = running })
        #expect(started.changes.contains(.deleteVerification(running)))
        let gone = try intent(verification: "token").decide(try facts())
        #expect(gone.changes.count == started.changes.count - 1)
        let rejected = try intent(verification: "token").decide(
            try facts { facts in
                facts.verification = running
                facts.user?.loginEpoch = 4
            })
        #expect(rejected == .unwritten(.challengeVoid, checking: try once))
    }

    @Test("A rejected login writes nothing, and a spent proof or challenge is reported before everything else")
    func rejected() throws {
        let (proof, challenge) = (FailedGuard.taken(.proof("proof")), FailedGuard.taken(.redemption("chl")))
        let rows: [(StartSessionOutcome, FoundRows)] = [
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
            let changes = try intent(endsHolds: endsHolds).decide(FoundRows { $0.user = user }).changes
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

    @Test("A login asks for the sessions that are too many beside it")
    func asksForSurplus() throws {
        #expect(try intent().reads.query.surplusSessions == .init(now: now, keeping: 2))
    }

    // Proves: R25
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
