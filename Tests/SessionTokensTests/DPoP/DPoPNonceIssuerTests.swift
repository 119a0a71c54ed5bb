import Foundation
import SessionTokens
import Testing

/// Server nonces (RFC 9449 §8).
@Suite("DPoP nonce issuer")
struct DPoPNonceIssuerTests {
    private let nonces = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "abcdefg")
    /// The first second of a window.
    private let start: Int64 = 1_800_000_000

    @Test("A nonce is valid in its window and in the next one, to the second")
    func windows() {
        let nonce = nonces.current(at: start)
        let lastSecond = start + 2 * nonces.window - 1
        #expect(nonces.end(of: nonce, at: start) == lastSecond + 1)
        #expect(nonces.end(of: nonce, at: lastSecond) == lastSecond + 1)
        #expect(nonces.end(of: nonce, at: lastSecond + 1) == nil)
    }

    @Test("An expired nonce is rejected at any age (RFC 9449 §8, D33)")
    func expired() {
        let nonce = nonces.current(at: start)
        for windows in Int64(2)...50 { #expect(nonces.end(of: nonce, at: start + windows * nonces.window) == nil) }
    }

    @Test("A nonce of a future window is rejected (RFC 9449 §8, D33)")
    func future() {
        #expect(nonces.end(of: nonces.current(at: start), at: start - 1) == nil)
    }

    @Test(
        "An unknown nonce is rejected (RFC 9449 §8, D33)", arguments: ["", "x", "eyJ7S_zG.eyJH0-Z.HX4w-7v", "nonce\0"])
    func unknown(_ nonce: String) {
        #expect(nonces.end(of: nonce, at: start) == nil)
    }

    @Test("A nonce that differs in one character is rejected (RFC 9449 §8, D33)")
    func exactMatch() {
        let nonce = nonces.current(at: start)
        #expect(nonces.end(of: String(nonce.dropLast()), at: start) == nil)
        #expect(nonces.end(of: nonce + "A", at: start) == nil)
        #expect(nonces.end(of: nonce + "=", at: start) == nil)
        #expect(nonces.end(of: nonce.lowercased(), at: start) == nil)
    }

    @Test("A nonce of another server is rejected (RFC 9449 §8, D33)")
    func otherServer() {
        let other = DPoPNonceIssuer(secret: Data(repeating: 2, count: 32), audience: "abcdefg")
        #expect(nonces.end(of: other.current(at: start), at: start) == nil)
    }

    @Test("A nonce of another app of this server is rejected (RFC 9449 §8, D33)")
    func otherApp() {
        let other = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "gfedcba")
        #expect(nonces.end(of: other.current(at: start), at: start) == nil)
    }

    @Test("All nodes with one secret issue and accept the same nonce")
    func otherNode() {
        let node = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "abcdefg")
        #expect(node.current(at: start) == nonces.current(at: start + nonces.window - 1))
        #expect(node.end(of: nonces.current(at: start), at: start + nonces.window) != nil)
    }

    @Test("Nodes accept each other's nonces while they change to another secret")
    func changingSecret() {
        let old = Data(repeating: 1, count: 32)
        let new = Data(repeating: 3, count: 32)
        let behind = DPoPNonceIssuer(secret: old, older: [new], audience: "abcdefg")
        let ahead = DPoPNonceIssuer(secret: new, older: [old], audience: "abcdefg")
        #expect(ahead.end(of: behind.current(at: start), at: start) != nil)
        #expect(behind.end(of: ahead.current(at: start), at: start) != nil)
        #expect(nonces.end(of: ahead.current(at: start), at: start) == nil)
    }

    @Test("A window has the configured length, and nonces of other window lengths are rejected")
    func shortWindow() {
        let short = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "abcdefg", window: 60)
        #expect(short.end(of: short.current(at: start + 59), at: start + 59) == start + 120)
        #expect(short.end(of: short.current(at: start), at: start + 120) == nil)
        #expect(short.end(of: nonces.current(at: start), at: start) == nil)
    }

    @Test("A nonce changes with the window and has 144 bits in base64url (RFC 9449 §8.1, D31)")
    func syntax() {
        let nonce = nonces.current(at: start)
        #expect(nonce != nonces.current(at: start + nonces.window))
        #expect(Base64URL.decode(nonce)?.count == 18)
    }
}
