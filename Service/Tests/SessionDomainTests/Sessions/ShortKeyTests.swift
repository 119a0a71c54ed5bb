import SessionDomain
import Testing

@Suite("The short key of a used proof")
struct ShortKeyTests {
    /// By Python: `int.from_bytes(hashlib.sha256(b"three").digest()[:8], "big", signed=True)`, and the same for "one".
    @Test(
        "It is the first eight bytes of the replay key",
        arguments: [
            ("i1udsME9skJWyCmqNkqpDG0uujGLkjKkq5MTuVTTVV8", -8_404_950_897_075_047_870),
            ("dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z_0Me0", 8_544_106_591_765_445_504),
        ])
    func bytes(replayKey: String, expected: Int64) {
        #expect(ProofUse.shortKey(of: replayKey) == expected)
        #expect(TestApp.proof(replayKey).shortKey == expected)
    }

    @Test("Only the first eight bytes count")
    func end() {
        let zeros = String(repeating: "A", count: 43)
        #expect(ProofUse.shortKey(of: zeros) == 0)
        // The eleventh character has the last four bits of the eighth byte, and two of the ninth.
        #expect(ProofUse.shortKey(of: "AAAAAAAAAAD" + zeros.dropFirst(11)) == 0)
        #expect(ProofUse.shortKey(of: "AAAAAAAAAAE" + zeros.dropFirst(11)) == 1)
        #expect(ProofUse.shortKey(of: String(repeating: "_", count: 43)) == -1)
    }
}
