import SessionWire
import Testing

@Suite("Error codes")
struct ErrorCodeTests {
    @Test("An unknown code survives")
    func unknownCodeSurvives() {
        #expect(ErrorCode(rawValue: "x").rawValue == "x")
    }
}
