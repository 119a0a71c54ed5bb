import Testing

@testable import prelude_session

@Suite("Settings files")
struct SettingsFileTests {
    @Test("Members have their lines, and comments and a last comma are no part of them")
    func members() throws {
        let file = try SettingsFile(
            """
            // A comment, with "quotes": {
            {
                // "port": 1,
                "host": "a//b", "port": 8080, // behind a value
                "development": true,

                "trustedProxies": ["10.0.0.1", // in a list
                    "::1",],
                "publicUrl": "https:\\/\\/\\u0061.example",
            }
            // at the end
            """)
        #expect(file.members.map(\.name) == ["host", "port", "development", "trustedProxies", "publicUrl"])
        #expect(file.members.map(\.line) == [4, 4, 5, 7, 9])
        #expect(
            file.members.map(\.value) == [
                .text("a//b"), .text("8080"), .text("true"), .list(["10.0.0.1", "::1"]), .text("https://a.example"),
            ])
    }

    @Test(
        "Values that are no setting are recognized, and what follows them is read",
        arguments: ["null", "{}", "{\"a\": [1, {\"b\": null}]}", "[1]", "[[\"a\"]]", "[\"a\", null]"])
    func others(value: String) throws {
        let file = try SettingsFile("{\"a\": \(value), \"b\": 1}")
        #expect(file.members.map(\.value) == [.other, .text("1")])
    }

    @Test(
        "An invalid text is reported with its line",
        arguments: [
            ("", 1, "begin with {"), ("\n\n[]", 3, "begin with {"), ("{\n\"a\": 1\n\"b\": 2}", 3, "comma"),
            ("{\n\"a\" 1}", 2, "colon"), ("{\n\"a\": }", 2, "value is missing"), ("{\"a\": abc}", 1, "a value needs"),
            ("{\"a\": \"b\n\"}", 1, "quotation mark"), ("{a: 1}", 1, "name in quotation marks"), ("{", 1, "or a }"),
            ("{}\n{}", 2, "only comments"), ("{\"a\": \"\\x\"}", 1, "not a string"), ("{\"a\": [\"b\"", 1, "]"),
            (String(repeating: "[", count: 100_000), 1, "{"),
            ("{\"a\": " + String(repeating: "[", count: 100_000), 1, "too deep"),
            (String(repeating: "{\"a\": ", count: 100_000), 1, "too deep"),
            ("{\"a\": \"\\", 1, "quotation mark"), ("{\"a\": 1 /* no */}", 1, "comma"),
        ])
    func invalid(text: String, line: Int, words: String) {
        do {
            _ = try SettingsFile(text)
            Issue.record("no error")
        } catch {
            #expect(error.line == line)
            #expect(error.problem.contains(words), "\(error.problem)")
        }
    }

    @Test("An error does not repeat a value without quotation marks, which can be a secret")
    func secret() {
        #expect(throws: SettingsFile.SyntaxError.self) { try SettingsFile("{\"emailSecret\": c0rrect-h0rse}") }
        do {
            _ = try SettingsFile("{\n\"emailSecret\": c0rrect-h0rse}")
        } catch {
            #expect(error.line == 2 && !error.problem.contains("c0rrect"))
        }
    }
}
