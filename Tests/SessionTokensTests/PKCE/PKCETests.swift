import Foundation
import SessionTokens
import Testing

/// RFC 7636, method S256.
@Suite("PKCE")
struct PKCETests {
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("Appendix B: the printed bytes give the printed verifier, and that the printed challenge")
    func appendixB() {
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        #expect(PKCE.verifier(from: bytes) == verifier)
        #expect(PKCE.challenge(for: verifier) == challenge)
        #expect(PKCE.verify(verifier: verifier, against: challenge))
    }

    @Test("§4.6: another verifier, and the challenge itself (method plain), are refused")
    func otherVerifier() {
        #expect(!PKCE.verify(verifier: String(verifier.reversed()), against: challenge))
        #expect(!PKCE.verify(verifier: challenge, against: challenge))
        #expect(!PKCE.verify(verifier: verifier, against: ""))
    }

    @Test("§4.1: a verifier has 43 to 128 unreserved characters")
    func verifierForm() {
        #expect(PKCE.isWellFormed(verifier: String(repeating: "a", count: 43)))
        #expect(PKCE.isWellFormed(verifier: String(repeating: "~", count: 128)))
        #expect(PKCE.isWellFormed(verifier: "ABCXYZabcxyz0189-._~ABCXYZabcxyz0189-._~ABC"))
        #expect(!PKCE.isWellFormed(verifier: String(repeating: "a", count: 42)))
        #expect(!PKCE.isWellFormed(verifier: String(repeating: "a", count: 129)))
        for foreign in ["+", "/", "=", " ", "é", "\n", "%"] {
            #expect(!PKCE.isWellFormed(verifier: String(repeating: "a", count: 43) + foreign), "\(foreign)")
        }
    }

    @Test("§4.6: a short verifier is refused even when it hashes to the challenge")
    func shortVerifier() {
        #expect(!PKCE.verify(verifier: "short", against: PKCE.challenge(for: "short")))
    }

    @Test("§4.2: a challenge is 43 characters of canonical base64url")
    func challengeForm() {
        #expect(PKCE.isWellFormed(challenge: challenge))
        #expect(!PKCE.isWellFormed(challenge: challenge + "="))
        #expect(!PKCE.isWellFormed(challenge: String(challenge.dropLast())))
        #expect(!PKCE.isWellFormed(challenge: challenge.dropLast() + "N"), "stray trailing bits")
        #expect(!PKCE.isWellFormed(challenge: challenge.replacingOccurrences(of: "-", with: "+")))
        #expect(!PKCE.isWellFormed(challenge: ""))
    }
}
