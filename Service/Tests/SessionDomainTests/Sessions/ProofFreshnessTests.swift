import SessionTokens
import Testing

@testable import SessionDomain

@Suite("The time of a proof (RFC 9449 §4.3, §8)")
struct ProofFreshnessTests {
    @Test(
        "A proof is fresh up to 60 seconds before and after its time",
        arguments: [
            (-61, false), (-60, true), (0, true), (60, true), (61, false),
        ])
    func window(seconds: Int, isFresh: Bool) throws {
        let proof = try TestApp.proof(issuedAt: now + seconds)
        #expect(try TestApp.open().use(of: proof, now: now).isFresh == isFresh)
    }

    @Test("An app can choose the window")
    func setting() throws {
        let app = try TestApp.open { $0.sessions.proofWindow = 10 }
        #expect(app.use(of: try TestApp.proof(issuedAt: now - 10), now: now).isFresh)
        #expect(!app.use(of: try TestApp.proof(issuedAt: now - 11), now: now).isFresh)
    }

    @Test("With a nonce of the service, the time of the client does not count, and with another one nothing is fresh")
    func nonce() throws {
        let app = try TestApp.open()
        let nonce = app.nonces.current(at: now.seconds)
        #expect(app.use(of: try TestApp.proof(issuedAt: now - 5000, nonce: nonce), now: now).isFresh)
        #expect(!app.use(of: try TestApp.proof(nonce: "invented"), now: now).isFresh)
    }
}
