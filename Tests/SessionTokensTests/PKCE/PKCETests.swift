import SessionTokens
import Testing

/// RFC 7636, method S256.
@Suite("PKCE")
struct PKCETests {
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("RFC 7636 appendix B: the published verifier gives the published challenge")
    func appendixB() {
        #expect(PKCE.challenge(for: verifier) == challenge)
    }
}
