import SessionDomain
import Testing

@Suite("The short key of a used proof")
struct ShortKeyTests {
    /// By Python: `int.from_bytes(hashlib.sha256(b"testapp.one").digest()[:8], "big", signed=True)`.
    @Test(
        "It is the beginning of a SHA-256",
        arguments: [("testapp", "one", -388_318_310_270_444_568), ("testapp", "two", 3_171_769_229_068_336_769)])
    func digest(app: String, replayKey: String, expected: Int64) throws {
        #expect(ProofUse.shortKey(of: replayKey, app: app) == expected)
        #expect(TestApp.proof(replayKey).shortKey(app: try #require(AppID(app))) == expected)
    }
}
