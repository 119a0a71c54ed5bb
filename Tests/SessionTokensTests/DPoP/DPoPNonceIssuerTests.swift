import Foundation
import SessionTokens
import Testing

/// RFC 9449 §8: nonces of the server's own, and nobody else's.
@Suite("DPoP nonce")
struct DPoPNonceIssuerTests {
    private let nonces = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "abcdefg")
    /// The first second of a window.
    private let start: Int64 = 1_800_000_000

    @Test("A nonce is valid in its window and in the next, to the second")
    func windows() {
        let nonce = nonces.current(at: start)
        let lastSecond = start + 2 * nonces.window - 1
        #expect(nonces.end(of: nonce, at: start) == lastSecond + 1)
        #expect(nonces.end(of: nonce, at: lastSecond) == lastSecond + 1)
        #expect(nonces.end(of: nonce, at: lastSecond + 1) == nil)
    }

    @Test("D33: an expired nonce is refused, however old")
    func expired() {
        let nonce = nonces.current(at: start)
        for windows in Int64(2)...50 { #expect(nonces.end(of: nonce, at: start + windows * nonces.window) == nil) }
    }

    @Test("D33: a nonce of a window to come is refused")
    func future() {
        #expect(nonces.end(of: nonces.current(at: start), at: start - 1) == nil)
    }

    @Test("D33: an unknown nonce is refused", arguments: ["", "x", "eyJ7S_zG.eyJH0-Z.HX4w-7v", "nonce\0"])
    func unknown(_ nonce: String) {
        #expect(nonces.end(of: nonce, at: start) == nil)
    }

    @Test("D33: a nonce must match to the last character")
    func exactMatch() {
        let nonce = nonces.current(at: start)
        #expect(nonces.end(of: String(nonce.dropLast()), at: start) == nil)
        #expect(nonces.end(of: nonce + "A", at: start) == nil)
        #expect(nonces.end(of: nonce + "=", at: start) == nil)
        #expect(nonces.end(of: nonce.lowercased(), at: start) == nil)
    }

    @Test("D33: a nonce of another server is refused")
    func otherServer() {
        let other = DPoPNonceIssuer(secret: Data(repeating: 2, count: 32), audience: "abcdefg")
        #expect(nonces.end(of: other.current(at: start), at: start) == nil)
    }

    @Test("D33: a nonce of another app of this server is refused")
    func otherApp() {
        let other = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "gfedcba")
        #expect(nonces.end(of: other.current(at: start), at: start) == nil)
    }

    @Test("Every node with the secret gives and takes the same nonce")
    func otherNode() {
        let node = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "abcdefg")
        #expect(node.current(at: start) == nonces.current(at: start + nonces.window - 1))
        #expect(node.end(of: nonces.current(at: start), at: start + nonces.window) != nil)
    }

    @Test("While nodes change to another secret, each takes the other's nonces")
    func changingSecret() {
        let old = Data(repeating: 1, count: 32)
        let new = Data(repeating: 3, count: 32)
        let behind = DPoPNonceIssuer(secret: old, older: [new], audience: "abcdefg")
        let ahead = DPoPNonceIssuer(secret: new, older: [old], audience: "abcdefg")
        #expect(ahead.end(of: behind.current(at: start), at: start) != nil)
        #expect(behind.end(of: ahead.current(at: start), at: start) != nil)
        #expect(nonces.end(of: ahead.current(at: start), at: start) == nil)
    }

    @Test("A window has the length that was asked for, and its nonces are no other window's")
    func shortWindow() {
        let short = DPoPNonceIssuer(secret: Data(repeating: 1, count: 32), audience: "abcdefg", window: 60)
        #expect(short.end(of: short.current(at: start + 59), at: start + 59) == start + 120)
        #expect(short.end(of: short.current(at: start), at: start + 120) == nil)
        #expect(short.end(of: nonces.current(at: start), at: start) == nil)
    }

    @Test("D31: a nonce changes with the window and has 144 bits in the syntax of §8.1")
    func syntax() {
        let nonce = nonces.current(at: start)
        #expect(nonce != nonces.current(at: start + nonces.window))
        #expect(Base64URL.decode(nonce)?.count == 18)
    }
}
