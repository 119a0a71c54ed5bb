import Testing

@testable import SessionConsole

@Suite("Reader of the part of YAML that the description of the APIs uses")
struct YAMLReaderTests {
    private func map(_ members: KeyValuePairs<String, YAMLValue>) -> YAMLValue {
        .map(members.map { YAMLValue.Member(name: $0, value: $1) })
    }

    @Test("Maps, lists, numbers and truth values keep their order and type")
    func blocks() throws {
        let text = """
            # A comment.
            b: 2
            a:
              - name: x
                deep: {one: 1, 'two words': [true, -5, text of words]}
              - {empty: {}, none: []}
              - plain
            same:
            - first

            'quoted key': false
            url: https://a.example/b
            """
        let expected = map([
            "b": .int(2),
            "a": .list([
                map([
                    "name": .text("x"),
                    "deep": map(["one": .int(1), "two words": .list([.bool(true), .int(-5), .text("text of words")])]),
                ]),
                map(["empty": .map([]), "none": .list([])]), .text("plain"),
            ]),
            "same": .list([.text("first")]), "quoted key": .bool(false), "url": .text("https://a.example/b"),
        ])
        #expect(try YAMLReader.read(text) == expected)
    }

    @Test("Lines of a text are joined, with and without quotes and in brackets; empty lines stay")
    func folding() throws {
        let text = """
            plain: one
              two

              three
            quoted: 'it''s
              one: line

              #123'
            brackets: {text: some
                words, quoted: 'a

                b'}
            """
        let expected = map([
            "plain": .text("one two\nthree"), "quoted": .text("it's one: line\n#123"),
            "brackets": map(["text": .text("some words"), "quoted": .text("a\nb")]),
        ])
        #expect(try YAMLReader.read(text) == expected)
    }

    @Test("A literal block keeps its lines, and the next member follows")
    func literal() throws {
        let expected = map(["text": .text("one\n\n- two\n   three\n"), "next": .int(1)])
        #expect(try YAMLReader.read("text: |\n  one\n\n  - two\n     three\n\nnext: 1") == expected)
    }

    @Test(
        "What it does not know is an error with the line",
        arguments: [
            ("a: yes", 1), ("a: null", 1), ("a: 1.5", 1), ("a: 2026-01-01", 1), ("a: 12:30", 1), ("a: 007", 1),
            ("a: \"text\"", 1), ("a: &anchor x", 1), ("a: *alias", 1), ("a: !tag x", 1), ("a: >\n  x", 1),
            ("a: 1\na: 2", 2), ("a: {b: 1, b: 2}", 1), ("a: b: c", 1), ("a:\nb: 1", 2), ("a: {b: 1", 1),
            ("a: 'open", 1), ("a: {b: 1} c", 1), ("a: x # comment", 1), ("a: |-\n  x", 1), ("a: 1\n   b: 2", 2),
            ("", 1),
        ])
    func errors(_ text: String, line: Int) {
        do {
            let value = try YAMLReader.read(text)
            Issue.record("\(text) was read as \(value)")
        } catch {
            #expect(error.line == line && !error.problem.isEmpty, "\(text): \(error)")
        }
    }

    @Test("A value becomes JSON with its order and its escapes")
    func json() {
        let value = map(["b": .text("say \"no\"\n\\"), "a": .list([.int(1), .bool(true)])])
        #expect(value.json() == #"{"b": "say \"no\"\n\\", "a": [1, true]}"#)
        let long = map(["first": .text(String(repeating: "x", count: 70)), "second": .int(1)])
        #expect(long.json() == "{\n  \"first\": \"\(String(repeating: "x", count: 70))\",\n  \"second\": 1\n}")
    }
}
