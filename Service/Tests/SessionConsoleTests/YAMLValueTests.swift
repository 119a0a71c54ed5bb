import Testing

@testable import SessionConsole

@Suite("Values of the description of the APIs")
struct YAMLValueTests {
    @Test("Members keep their order, and plain words their type: only `true` and `false` are truth values")
    func types() throws {
        let text = """
            b: 2
            a: [true, -5, 'true', "5", yes, null, text of words]
            folded: 'it''s
              one: line'
            literal: |
              one

              two
            """
        let value = try YAMLValue(reading: text)
        let words: [YAMLValue] = [
            .bool(true), .int(-5), .text("true"), .text("5"), .text("yes"), .text("null"), .text("text of words"),
        ]
        #expect(value.members.map(\.name) == ["b", "a", "folded", "literal"])
        #expect(value["b"] == .int(2) && value["a"] == .list(words))
        #expect(value["folded"] == .text("it's one: line") && value["literal"] == .text("one\n\ntwo"))
    }

    @Test(
        "A map that repeats a key, and a text that is no YAML, is an error",
        arguments: ["a: 1\na: 2", "a: {b: 1", "a: b: c"])
    func errors(_ text: String) {
        #expect(throws: (any Error).self) { try YAMLValue(reading: text) }
    }

    @Test("A value becomes JSON with its order and its escapes")
    func json() throws {
        let value = try YAMLValue(reading: #"{b: "say \"no\"\n\\", a: [1, true]}"#)
        #expect(value.json() == #"{"b": "say \"no\"\n\\", "a": [1, true]}"#)
        let word = String(repeating: "x", count: 70)
        #expect(
            try YAMLValue(reading: "first: \(word)\nsecond: 1").json()
                == "{\n  \"first\": \"\(word)\",\n  \"second\": 1\n}")
    }
}
