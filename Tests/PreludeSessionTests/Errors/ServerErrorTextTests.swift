import Testing

@testable import PreludeSession

@Suite("The text of a server's error carries its facts")
struct ServerErrorTextTests {
    private static let messages = [
        "", " ", "m", "too many [x=1]", "[", "]", " []", "[]", "x []", " [] []", "x [request=req_1]",
        "x [retry-after=5]", "x [code=a]", "x [field=a]", "x [new-code]", "x [new-code=1]", "x [new-code new-code]",
        "x [code=a code=a]",
        "x [request=req_1 retry-after=5]", "x [request=req_1 retry-after=5] []",
        "x [retry-after=5 request=req_1]", "x [request=]", "x [retry-after=05]", "x [retry-after=+5]", "ü [☃]",
        // U+0600 forms one Character with the space after it.
        "x\u{600}", "x\u{600} [retry-after=5]", "x\u{301}", "\u{301}", "x\r", "x\r\n [retry-after=5]",
    ]

    @Test("Message and facts survive rendering and reading, whatever the message is")
    func roundTrip() {
        for message in Self.messages {
            for facts in Self.facts {
                let details = ServerErrorText(message: message, facts: facts)
                let read = ServerErrorText(text: details.text)
                #expect(read == details, "\(details.text.debugDescription)")
                #expect(Array(read.message.unicodeScalars) == Array(message.unicodeScalars))
            }
        }
    }

    private static let facts: [ServerErrorFacts] = [
        ServerErrorFacts(), ServerErrorFacts(code: "bad_check_code"), ServerErrorFacts(field: "identifier.type"),
        ServerErrorFacts(needsNewCode: true), ServerErrorFacts(code: "a", field: "b", needsNewCode: true),
        ServerErrorFacts(field: "A-z_9.", needsNewCode: true, requestID: String(repeating: "a", count: 64)),
        ServerErrorFacts(requestID: "req_1"), ServerErrorFacts(retryAfter: 0), ServerErrorFacts(retryAfter: 42),
        ServerErrorFacts(
            code: "code", field: "field", needsNewCode: true, requestID: "request", retryAfter: RetryAfter.maximum),
        // Values that are names of facts themselves.
        ServerErrorFacts(code: "new-code", field: "new-code", requestID: "new-code"),
    ]

    @Test("Rendering and reading random texts of the format's characters returns the same details")
    func randomTexts() {
        var generator = SeededGenerator(state: 11)
        let parts = [
            "[", "]", " ", "request=", "retry-after=", "code=", "field=", "new-code", "1", "0", "a", "-", "\u{600}",
            "x [retry-after=1]",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...8, using: &generator))
                .map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let details = ServerErrorText(message: text)
            #expect(ServerErrorText(text: details.text) == details, "\(text)")
            // Reading any text and rendering the result returns the text.
            #expect(ServerErrorText(text: text).text == text, "\(text)")
        }
    }

    @Test(
        "A message that looks like facts is not read as facts",
        arguments: [
            "x [retry-after=5]", "x [request=req_1]", "x [code=suspended_account]", "x [field=a]", "x [new-code]",
        ])
    func forged(message: String) {
        let error = PreludeSessionError.conflict(ServerErrorText(message: message).text)
        #expect(error.retryAfter == nil)
        #expect(error.requestID == nil)
        #expect(error.code == nil)
        #expect(error.field == nil)
        #expect(!error.needsNewCode)
    }

    @Test(
        "An id or a waiting time outside the format is dropped",
        arguments: ["", "a b", "a]", "ü", "K\u{301}", "\u{212A}", String(repeating: "a", count: 65)])
    func invalidFacts(id: String) {
        #expect(ServerErrorFacts(code: id, field: id, requestID: id).isEmpty)
        #expect(ServerErrorFacts(retryAfter: -1).isEmpty)
        #expect(ServerErrorFacts(retryAfter: RetryAfter.maximum + 1).isEmpty)
    }

    @Test("The text reads well in logs")
    func rendering() {
        #expect(ServerErrorText(message: "m").text == "m")
        let facts = ServerErrorFacts(
            code: "bad_check_code", field: "code", needsNewCode: true, requestID: "req_1", retryAfter: 42)
        #expect(
            ServerErrorText(message: "m", facts: facts).text
                == "m [code=bad_check_code field=code new-code request=req_1 retry-after=42]")
        #expect(
            ServerErrorText(message: "m", facts: ServerErrorFacts(retryAfter: 42)).text == "m [retry-after=42]")
    }
}

/// SplitMix64, the same sequence in each run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
