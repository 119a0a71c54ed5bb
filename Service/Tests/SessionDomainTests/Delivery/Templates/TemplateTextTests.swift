import Testing

@testable import SessionDomain

@Suite("Variables of a template")
struct TemplateTextTests {
    @Test(
        "A text is split at its variables",
        arguments: [
            ("", []), ("text", [.text("text")]), ("{{code}}", [.variable(.code)]),
            ("a {{code}} b", [.text("a "), .variable(.code), .text(" b")]),
            ("{{code}}{{app_name}}", [.variable(.code), .variable(.appName)]),
            ("{ {code} }", [.text("{ {code} }")]),
            ("é{{code}}\u{301}", [.text("é"), .variable(.code), .text("\u{301}")]),
        ] as [(String, [TemplateText.Part])])
    func parts(text: String, parts: [TemplateText.Part]) throws {
        #expect(try TemplateText(text).parts == parts)
    }

    @Test(
        "Anything else in double braces is a problem",
        arguments: [
            ("{{", .unclosed), ("}}", .unclosed), ("{{code", .unclosed), ("code}}", .unclosed),
            ("}}{{code}}", .unclosed),
            ("{{code}}}}", .unclosed), ("{{codes}}", .unknown("codes")), ("{{ code }}", .unknown(" code ")),
            ("{{}}", .unknown("")), ("{{{code}}}", .unknown("{code")), ("{{Code}}", .unknown("Code")),
            ("{{a{{code}}", .unknown("a{{code")),
        ] as [(String, TemplateText.Problem)])
    func problems(text: String, problem: TemplateText.Problem) {
        #expect(throws: problem) { try TemplateText(text) }
    }

    @Test("A value is not read as a template again")
    func values() throws {
        let text = try TemplateText("{{app_name}}: {{code}}")
        #expect(text.filled { $0 == .appName ? "{{code}}" : "123456" } == "{{code}}: 123456")
    }
}
