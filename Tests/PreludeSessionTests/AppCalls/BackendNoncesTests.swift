import Testing

@testable import PreludeSession

@Suite("The nonces of the app's backends")
struct BackendNoncesTests {
    @Test("Each origin has its own nonce, and the number of origins is bounded")
    func origins() {
        let nonces = BackendNonces()
        nonces.learn("n1", from: "https://a")
        nonces.learn(nil, from: "https://a")
        nonces.learn(String(repeating: "n", count: 10_000), from: "https://a")
        #expect(nonces["https://a"] == "n1")
        #expect(nonces["https://b"] == nil)
        for number in 1..<16 { nonces.learn("n", from: "https://\(number)") }
        #expect(nonces["https://a"] == "n1")
        nonces.learn("n2", from: "https://b")
        #expect(nonces["https://a"] == nil)
        #expect(nonces["https://b"] == "n2")
    }
}
