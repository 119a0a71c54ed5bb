import Foundation
import SessionTokens
import Testing

/// RFC 9449 §8: nonces of the server's own, and nobody else's.
@Suite("DPoP nonce")
struct DPoPNonceTests {
    private let nonces = DPoPNonce(secret: Data(repeating: 1, count: 32), audience: "abcdefg")
    /// The first second of a window.
    private let start: Int64 = 1_800_000_000 / DPoPNonce.window * DPoPNonce.window

    @Test("A nonce is valid in its window and in the next, to the second")
    func windows() {
        let nonce = nonces.current(at: start)
        let lastSecond = start + 2 * DPoPNonce.window - 1
        #expect(nonces.isValid(nonce, at: start))
        #expect(nonces.isValid(nonce, at: lastSecond))
        #expect(!nonces.isValid(nonce, at: lastSecond + 1))
    }

    @Test("D33: an expired nonce is refused, however old")
    func expired() {
        let nonce = nonces.current(at: start)
        for windows in Int64(2)...50 { #expect(!nonces.isValid(nonce, at: start + windows * DPoPNonce.window)) }
    }

    @Test("D33: a nonce of a window to come is refused")
    func future() {
        #expect(!nonces.isValid(nonces.current(at: start), at: start - 1))
    }

    @Test("D33: an unknown nonce is refused", arguments: ["", "x", "eyJ7S_zG.eyJH0-Z.HX4w-7v", "nonce\0"])
    func unknown(_ nonce: String) {
        #expect(!nonces.isValid(nonce, at: start))
    }

    @Test("D33: a nonce must match to the last character")
    func exactMatch() {
        let nonce = nonces.current(at: start)
        #expect(!nonces.isValid(String(nonce.dropLast()), at: start))
        #expect(!nonces.isValid(nonce + "A", at: start))
        #expect(!nonces.isValid(nonce + "=", at: start))
        #expect(!nonces.isValid(nonce.lowercased(), at: start))
    }

    @Test("D1: a nonce of another server is refused")
    func otherServer() {
        let other = DPoPNonce(secret: Data(repeating: 2, count: 32), audience: "abcdefg")
        #expect(!nonces.isValid(other.current(at: start), at: start))
    }

    @Test("D1: a nonce of another app of this server is refused")
    func otherApp() {
        let other = DPoPNonce(secret: Data(repeating: 1, count: 32), audience: "gfedcba")
        #expect(!nonces.isValid(other.current(at: start), at: start))
    }

    @Test("Every node with the secret gives and takes the same nonce")
    func otherNode() {
        let node = DPoPNonce(secret: Data(repeating: 1, count: 32), audience: "abcdefg")
        #expect(node.current(at: start) == nonces.current(at: start + DPoPNonce.window - 1))
        #expect(node.isValid(nonces.current(at: start), at: start + DPoPNonce.window))
    }

    @Test("While nodes change to another secret, each takes the other's nonces")
    func changingSecret() {
        let old = Data(repeating: 1, count: 32)
        let new = Data(repeating: 3, count: 32)
        let behind = DPoPNonce(secret: old, older: [new], audience: "abcdefg")
        let ahead = DPoPNonce(secret: new, older: [old], audience: "abcdefg")
        #expect(ahead.isValid(behind.current(at: start), at: start))
        #expect(behind.isValid(ahead.current(at: start), at: start))
        #expect(!nonces.isValid(ahead.current(at: start), at: start))
    }

    @Test("D31: a nonce changes with the window and has 144 bits in the syntax of §8.1")
    func syntax() {
        let nonce = nonces.current(at: start)
        #expect(nonce != nonces.current(at: start + DPoPNonce.window))
        #expect(Base64URL.decode(nonce)?.count == 18)
    }
}
