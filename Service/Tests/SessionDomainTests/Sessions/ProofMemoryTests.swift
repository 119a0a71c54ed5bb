import SessionDomain
import SessionTokens
import Testing

@Suite("Proofs that come with an access token")
struct ProofMemoryTests {
    private func admission(
        proof: ProofUse = TestApp.proof(), user: String = "usr_1", requiresNonce: Bool = false
    ) throws -> AdmitCaller {
        AdmitCaller(
            app: try appID(), session: "ses_1", user: user, proof: proof, requiresNonce: requiresNonce, now: now)
    }

    private func facts(_ session: Session, status: User.Status = .active) throws -> FoundRows {
        try FoundRows {
            $0.session = session
            $0.user = try TestApp.user(status: status)
        }
    }

    @Test("A proof is reserved once (RFC 9449 §11.1)")
    func reservation() throws {
        let session = try TestApp.session()
        var facts = try facts(session)
        #expect(
            try admission().decide(facts)
                == Decision(
                    .admitted(session, try TestApp.user()),
                    [.reserveProof(TestApp.proof(), app: try appID(), now: now)]))
        facts.failures.add(.taken(.proof("proof")))
        #expect(try admission().decide(facts) == Decision(.refused(.replayedProof)))
    }

    @Test("A session that has ended, another user, and an inactive user are rejected before all else, without a write")
    func ended() throws {
        let refused = Decision<AdmitCaller.Outcome>(.refused(.unauthorized))
        let intent = try admission(proof: TestApp.proof(isFresh: false))
        #expect(intent.decide(FoundRows()) == refused)
        #expect(intent.decide(try facts(try TestApp.session(revokedAt: now))) == refused)
        #expect(intent.decide(try facts(try TestApp.session(), status: .suspended)) == refused)
        #expect(try admission(user: "usr_2").decide(try facts(try TestApp.session())) == refused)
    }

    @Test("A proof that does not fit the session is rejected without a write")
    func binding() throws {
        let stale = TestApp.proof(isFresh: false)
        #expect(
            try admission(proof: stale).decide(try facts(try TestApp.session(key: "other")))
                == Decision(.refused(.proofKeyMismatch)))
        #expect(
            try admission().decide(try facts(try TestApp.session(key: nil))).changes.count == 1,
            "A session without a key accepts each proof that fits the token")
    }

    @Test("A demanded nonce is remembered once (RFC 9449 §11.3)")
    func nonce() throws {
        let session = try TestApp.session()
        var demanding = session
        demanding.demandsNonce = true
        let demand = Decision<AdmitCaller.Outcome>(.nonceRequired, [.replaceSession(session, with: demanding)])
        #expect(try admission(proof: TestApp.proof(isFresh: false)).decide(try facts(session)) == demand)
        #expect(try admission(requiresNonce: true).decide(try facts(session)) == demand)
        #expect(try admission().decide(try facts(demanding)) == Decision(.nonceRequired))
    }
}
