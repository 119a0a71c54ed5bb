import SessionDomain
import Testing

@Suite("What a refresh writes")
struct RotationChangesTests {
    private func intent(
        generation: Int64 = 5, proof: ProofUse? = TestApp.proof(), redeems: Bool = false
    ) throws -> RotateRefreshToken {
        RotateRefreshToken(
            appID: try appID(), sessionID: "ses_1", generation: generation, proof: proof,
            redemption: redeems ? RedeemChallenge(reference: TestApp.reference, grantID: "grt_2", now: now) : nil,
            device: Device(), policy: SessionPolicy(), now: now, events: try TestApp.events())
    }

    private func facts(_ fill: (inout FoundRows) throws -> Void = { _ in }) throws -> FoundRows {
        try FoundRows { facts in
            facts.session = try TestApp.session()
            facts.user = try TestApp.user()
            try fill(&facts)
        }
    }

    private func next(_ session: Session) -> Session {
        var next = session
        next.generation += 1
        next.lastProof = "proof"
        next.lastSeenAt = now
        next.rotatedAt = now
        next.settledGeneration = session.generation
        next.idleExpiresAt = now + SessionPolicy().idleLifetime
        return next
    }

    @Test("A refresh reserves the proof and replaces the session, and writes nothing else")
    func rotation() throws {
        let session = try TestApp.session()
        #expect(
            try intent().decide(try facts())
                == Decision(
                    .rotated(next(session), try TestApp.user(), []),
                    [
                        .reserveProof(TestApp.proof(), app: try appID(), now: now),
                        .replaceSession(session, with: next(session)),
                    ]))
    }

    @Test("An unknown session reserves no proof")
    func unknown() throws {
        #expect(try intent().decide(FoundRows()) == Decision(.refused(.unauthorized)))
    }

    // Proves: R20
    @Test("A proof by another key, or for an ended session, is not remembered")
    func rejected() throws {
        let proof = ProofUse(
            thumbprint: "other", replayKey: "proof", rememberUntil: now + 180, nonce: nil, windowStart: now - 100,
            isFresh: true, issuedAt: now)
        #expect(try intent(proof: proof).decide(try facts()) == Decision(.refused(.proofKeyMismatch)))
        let ended = try facts { $0.session = try TestApp.session(revokedAt: now - 1) }
        #expect(try intent().decide(ended) == Decision(.refused(.unauthorized)))
        let unbound = try facts { $0.session = try TestApp.session(key: nil) }
        #expect(try intent().decide(unbound).changes.count == 1)
    }

    @Test("A rejected refresh still spends the fresh proof of the session's key")
    func spent() throws {
        let session = try TestApp.session()
        let late = TestApp.proof(attempt: "last")
        var repeated = session
        repeated.attempts = RotationAttempts(last: "last")
        #expect(
            try intent(generation: 1, proof: late).decide(try facts { $0.session = repeated })
                == Decision(.refused(.refreshTokenSpent), [.reserveProof(late, app: try appID(), now: now)]))
    }

    @Test("A stale proof is not remembered, and the session demands a nonce (RFC 9449 §11.3)")
    func stale() throws {
        let session = try TestApp.session()
        var demanding = session
        demanding.demandsNonce = true
        #expect(
            try intent(proof: TestApp.proof(isFresh: false)).decide(try facts())
                == Decision(.nonceDemanded, [.replaceSession(session, with: demanding)]))
    }

    @Test("A taken proof is a replay: rejected, and nothing is revoked, whatever the token")
    func replay() throws {
        let replayed = try facts { $0.failures.add(.taken(.proof("proof"))) }
        for generation: Int64 in [6, 5, 4, 1] {
            #expect(try intent(generation: generation).decide(replayed) == Decision(.refused(.replayedProof)))
        }
    }

    @Test("Reuse ends the session and everything that the user has earned or begun")
    func reuse() throws {
        let session = try TestApp.session()
        var ended = session
        ended.revokedAt = now
        let other = TestApp.proof(attempt: "other")
        let decision = try intent(generation: 4, proof: other).decide(try facts())
        #expect(decision.outcome == .revoked(ended, .refreshTokenReused))
        #expect(
            Array(decision.changes.prefix(3)) == [
                .reserveProof(other, app: try appID(), now: now), .replaceSession(session, with: ended),
                .deleteStepUps(of: try TestApp.user()),
            ])
        #expect(decision.changes.count == 5)
    }

    @Test("The session of an inactive user ends, and only its device learns why")
    func inactive() throws {
        for (proof, outcome) in [
            (TestApp.proof(), RotationOutcome.refused(.suspendedAccount)), (nil, nil),
        ] as [(ProofUse?, RotationOutcome?)] {
            let decision = try intent(proof: proof).decide(try facts { $0.user = try TestApp.user(status: .suspended) })
            var ended = try TestApp.session()
            ended.revokedAt = now
            #expect(decision.outcome == outcome ?? .revoked(ended, .userInactive))
            #expect(decision.changes.contains(.replaceSession(try TestApp.session(), with: ended)))
        }
    }

    @Test("Spent grants are deleted, covering grants are returned, and the others stay")
    func grants() throws {
        let covering = try TestApp.grant(id: "grt_a")
        let spent = [try TestApp.grant(id: "grt_b", .singleUse), try TestApp.grant(id: "grt_c", lasts: 0)]
        let other = Grant(
            id: "grt_d", appID: try appID(), userID: "usr_1", sessionID: "ses_2", scope: "pay", mode: .sessionBound,
            generation: 0, expiresAt: now + 100)
        let decision = try intent().decide(try facts { $0.grants = [covering] + spent + [other] })
        #expect(decision.outcome == .rotated(next(try TestApp.session()), try TestApp.user(), [covering]))
        #expect(Array(decision.changes.suffix(2)) == spent.map { .deleteGrant($0) })
        #expect(decision.changes.count == 4)
    }

    @Test("A completed challenge is redeemed in the same decision, and the new token carries its grant")
    func redemption() throws {
        var completed = try TestApp.challenge()
        completed.completedAt = now - 1
        var redeemed = completed
        redeemed.redeemedAt = now
        let session = try TestApp.session()
        let grant = Grant(
            id: "grt_2", appID: try appID(), userID: "usr_1", sessionID: "ses_1", scope: "pay", mode: .singleUse,
            generation: 6, expiresAt: now + SessionPolicy().accessTokenLifetime)
        #expect(
            try intent(redeems: true).decide(try facts { $0.challenge = completed })
                == Decision(
                    .rotated(next(session), try TestApp.user(), [grant]),
                    [
                        .reserveProof(TestApp.proof(), app: try appID(), now: now), .insertGrant(grant),
                        .replaceChallenge(completed, with: redeemed),
                        .append(try TestApp.events().stepUpGranted(grant)),
                        .replaceSession(session, with: next(session)),
                    ]))
    }

    @Test("A challenge that cannot be redeemed rejects the refresh and leaves the session as it is")
    func redemptionRejected() throws {
        #expect(
            try intent(redeems: true).decide(try facts { $0.challenge = try TestApp.challenge() })
                == Decision(
                    .refused(.stepNotCompleted), [.reserveProof(TestApp.proof(), app: try appID(), now: now)]))
    }
}
