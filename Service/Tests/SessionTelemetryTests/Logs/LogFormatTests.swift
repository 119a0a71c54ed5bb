import Foundation
import Logging
import Testing

@testable import SessionTelemetry

@Suite("Lines of the log")
struct LogFormatTests {
    /// Texts that would begin a line, end a string, or change how a terminal shows a line.
    static let texts = [
        "a\nb", "a\r\nb", "\u{1B}[2J", "\"} {\"level\":\"error\"", "\\", "a\u{2028}b", "a\u{85}b", "\u{202E}abc", "\0",
        "=",
        " status=200", "\u{7F}", "😀", "\u{301}a", "\u{20DD}", "a\u{A0}status=200", "\u{3164}", "a\u{2003}b", "\u{2800}",
        "\u{FE0F}", "e\u{301}", "\u{E0041}",
    ]

    private func record(_ message: String, _ metadata: [(String, Logger.MetadataValue)] = []) -> LogRecord {
        LogRecord(
            milliseconds: 1_763_846_639_123, level: .info, logger: "prelude-session", message: message,
            metadata: metadata.map { (key: $0.0, value: $0.1) })
    }

    @Test("A line of text has time, level, logger, message and metadata")
    func text() {
        let line = LogFormat.text.line(
            of: record("request", [("route", "/v1/session/refresh"), ("status", .stringConvertible(200))]))
        #expect(
            line == "2025-11-22T21:23:59.123Z info prelude-session: request route=/v1/session/refresh status=200\n")
    }

    @Test("A line of JSON has the same as members; numbers are numbers")
    func json() throws {
        let line = LogFormat.json.line(
            of: record(
                "request",
                [
                    ("level", "x"), ("list", .array(["a", "b"])), ("map", .dictionary(["k": "v"])),
                    ("ms", .stringConvertible(1.5)), ("status", .stringConvertible(200)),
                ]))
        #expect(
            line == #"{"timestamp":"2025-11-22T21:23:59.123Z","level":"info","logger":"prelude-session","#
                + #""message":"request","_level":"x","list":["a","b"],"map":{"k":"v"},"ms":1.5,"status":200}"# + "\n")
    }

    // Proves: A7
    @Test("No text begins a line of its own, and JSON returns it unchanged", arguments: texts)
    func hostile(text: String) throws {
        let record = record(text, [("value", .string(text)), ("k\(text)", "v")])
        for format in LogFormat.allCases {
            let line = format.line(of: record)
            #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
            #expect(line.hasSuffix("\n") && !line.contains("\u{202E}") && !line.contains("\u{2028}"))
        }
        let data = Data(LogFormat.json.line(of: record).utf8)
        let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(members["message"] as? String == text && members["value"] as? String == text)
        #expect(members["level"] as? String == "info")
    }

    // Proves: A7
    @Test("A value of a line of text cannot add a name", arguments: ["a status=200", "a=b", "\"", "", "a\" b=\"c"])
    func values(text: String) {
        let line = LogFormat.text.line(of: record("request", [("value", .string(text))]))
        let quoted = text.replacingOccurrences(of: "\"", with: "\\\"")
        #expect(line.hasSuffix(" value=\"\(quoted)\"\n"))
    }

    @Test(
        "A value begins with a character that can be seen, and no character looks like the space before a name",
        arguments: [
            ("\u{301}a", #"\u{301}a"#), ("\u{20DD}", #"\u{20dd}"#), ("\u{3164}", #"\u{3164}"#),
            ("a\u{A0}b", #"a\u{a0}b"#), ("\u{2800}", #"\u{2800}"#), ("\u{FE0F}x", #"\u{fe0f}x"#),
            ("\u{301} =", #""\u{301} =""#), ("a\"\u{301} b", "\"a\\\"\u{301} b\""),
            ("a\\\u{301}", "\"a\\\\\u{301}\""), ("e\u{301}", "e\u{301}"),
        ])
    func invisible(text: String, shown: String) {
        let line = LogFormat.text.line(of: record("request", [("value", .string(text))]))
        #expect(
            Array(line.unicodeScalars)
                == Array("2025-11-22T21:23:59.123Z info prelude-session: request value=\(shown)\n".unicodeScalars))
    }

    @Test("Times are those of Foundation, also before 1970 and around leap days")
    func times() {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let days: [Int64] = [0, -1, 58, 59, 60, 365, 789, 790, 11_015, 11_016, 20_512, 47_540, 47_541]
        for day in days {
            for milliseconds: Int64 in [0, 1, 43_200_500, 86_399_999] {
                let time = day * 86_400_000 + milliseconds
                let record = LogRecord(milliseconds: time, level: .info, logger: "", message: "", metadata: [])
                #expect(record.timestamp == formatter.string(from: Date(timeIntervalSince1970: Double(time) / 1000)))
            }
        }
    }
}
