import Testing

@testable import PreludeSession

@Suite("The text of a server's error carries its facts")
struct ServerErrorTextTests {
    private static let messages = [
        "", " ", "m", "too many [x=1]", "[", "]", " []", "[]", "x []", " [] []", "x [request=req_1]",
        "x [retry-after=5]", "x [request=req_1 retry-after=5]", "x [request=req_1 retry-after=5] []",
        "x [retry-after=5 request=req_1]", "x [request=]", "x [retry-after=05]", "x [retry-after=+5]", "ü [☃]",
        // U+0600 forms one Character with the space after it.
        "x\u{600}", "x\u{600} [retry-after=5]", "x\u{301}", "\u{301}", "x\r", "x\r\n [retry-after=5]",
    ]

    @Test("Message, request id and waiting time survive rendering and reading, whatever the message is")
    func roundTrip() {
        for message in Self.messages {
            for requestID in [nil, "req_1", "a", "A-z_9", String(repeating: "a", count: 64)] {
                for retryAfter in [nil, 0, 42, RetryAfter.maximum] {
                    let details = ServerErrorText(message: message, requestID: requestID, retryAfter: retryAfter)
                    let read = ServerErrorText(text: details.text)
                    #expect(read == details, "\(details.text.debugDescription)")
                    #expect(Array(read.message.unicodeScalars) == Array(message.unicodeScalars))
                    #expect((read.requestID, read.retryAfter) == (requestID, retryAfter))
                }
            }
        }
    }

    @Test("Rendering and reading random texts of the format's characters returns the same details")
    func randomTexts() {
        var generator = SeededGenerator(state: 11)
        let parts = ["[", "]", " ", "request=", "retry-after=", "1", "0", "a", "-", "\u{600}", "x [retry-after=1]"]
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
        "A message that looks like facts is not read as facts", arguments: ["x [retry-after=5]", "x [request=req_1]"])
    func forged(message: String) {
        let error = PreludeSessionError.conflict(ServerErrorText(message: message).text)
        #expect(error.retryAfter == nil)
        #expect(error.requestID == nil)
    }

    @Test(
        "An id or a waiting time outside the format is dropped",
        arguments: ["", "a b", "a]", "ü", "K\u{301}", "\u{212A}", String(repeating: "a", count: 65)])
    func invalidFacts(id: String) {
        #expect(ServerErrorText(message: "m", requestID: id).requestID == nil)
        #expect(ServerErrorText(message: "m", retryAfter: -1).retryAfter == nil)
        #expect(ServerErrorText(message: "m", retryAfter: RetryAfter.maximum + 1).retryAfter == nil)
    }

    @Test("The text reads well in logs")
    func rendering() {
        #expect(ServerErrorText(message: "m").text == "m")
        #expect(
            ServerErrorText(message: "m", requestID: "req_1", retryAfter: 42).text
                == "m [request=req_1 retry-after=42]")
        #expect(ServerErrorText(message: "m", retryAfter: 42).text == "m [retry-after=42]")
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
