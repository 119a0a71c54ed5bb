import SessionDomain
import Testing

@Suite("Proofs that come with an access token")
struct ProofMemoryTests {
    @Test("A proof is reserved once (RFC 9449 §11.1)")
    func reservation() throws {
        let (intent, app) = (ReserveProof(TestApp.proof(), app: try appID(), now: now), try appID())
        #expect(intent.decide(Facts()) == Decision(true, [.reserveProof(TestApp.proof(), app: app, now: now)]))
        #expect(intent.decide(Facts { $0.failures.add(.taken(.proof("proof"))) }) == Decision(false))
    }

    @Test("A demanded nonce is remembered once, and for a session that exists (RFC 9449 §11.3)")
    func nonce() throws {
        let intent = DemandNonce(session: "ses_1", app: try appID())
        let session = try TestApp.session()
        var demanding = session
        demanding.demandsNonce = true
        #expect(intent.decide(Facts { $0.session = session }).changes == [.replaceSession(session, with: demanding)])
        #expect(intent.decide(Facts { $0.session = demanding }).changes.isEmpty)
        #expect(intent.decide(Facts()).changes.isEmpty)
    }
}
