import Foundation
import SessionTokens
import Testing

/// PKCE with method S256 (RFC 7636).
@Suite("PKCE")
struct PKCETests {
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("The printed bytes give the printed verifier and challenge (RFC 7636 appendix B)")
    func appendixB() {
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        #expect(PKCE.verifier(from: bytes) == verifier)
        #expect(PKCE.challenge(for: verifier) == challenge)
        #expect(PKCE.verify(verifier: verifier, against: challenge))
    }

    @Test("Another verifier and the challenge itself are rejected (RFC 7636 §4.6)")
    func otherVerifier() {
        #expect(!PKCE.verify(verifier: String(verifier.reversed()), against: challenge))
        #expect(!PKCE.verify(verifier: challenge, against: challenge))
        #expect(!PKCE.verify(verifier: verifier, against: ""))
    }

    @Test("A verifier must have 43 to 128 unreserved characters (RFC 7636 §4.1)")
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

    @Test("A short verifier is rejected even if its hash is the challenge (RFC 7636 §4.6)")
    func shortVerifier() {
        #expect(!PKCE.verify(verifier: "short", against: PKCE.challenge(for: "short")))
    }

    @Test("A challenge must be 43 characters of canonical base64url (RFC 7636 §4.2)")
    func challengeForm() {
        #expect(PKCE.isWellFormed(challenge: challenge))
        #expect(!PKCE.isWellFormed(challenge: challenge + "="))
        #expect(!PKCE.isWellFormed(challenge: String(challenge.dropLast())))
        #expect(!PKCE.isWellFormed(challenge: challenge.dropLast() + "N"), "stray trailing bits")
        #expect(!PKCE.isWellFormed(challenge: challenge.replacingOccurrences(of: "-", with: "+")))
        #expect(!PKCE.isWellFormed(challenge: ""))
    }
}
