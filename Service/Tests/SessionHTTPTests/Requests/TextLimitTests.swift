import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Text limit")
struct TextLimitTests {
    @Test("A text has at most 256 bytes in UTF-8")
    func limit() {
        #expect(throws: Never.self) { try TextLimit.check(nil, "name") }
        #expect(throws: Never.self) { try TextLimit.check(String(repeating: "a", count: 256), "name") }
        for text in [String(repeating: "a", count: 257), String(repeating: "é", count: 129)] {
            #expect(throws: Refusal.invalidField("name", "must have at most 256 bytes")) {
                try TextLimit.check(text, "name")
            }
        }
    }
}
