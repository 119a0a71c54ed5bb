import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("HTTP date")
struct HTTPDateTests {
    @Test(
        "A date has two-digit parts, English names and GMT (RFC 9110 §5.6.7)",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 GMT"), (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"),
        ])
    func format(seconds: Int64, text: String) {
        #expect(HTTPDate.format(Timestamp(seconds: seconds)) == text)
    }
}

@Suite("HTTP date of responses")
struct LatestDateTests {
    @Test("The text is that of the asked time, forwards and backwards")
    func text() {
        let dates = LatestDate()
        for milliseconds: Int64 in [999, 1000, 1999, 2000, 500, -1, 0, 86_400_000, 86_400_000] {
            let time = Timestamp(milliseconds: milliseconds)
            #expect(dates.text(of: time) == HTTPDate.format(time))
        }
    }
}
