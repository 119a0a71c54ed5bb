import Foundation
import Testing

@testable import SessionDomain

@Suite("Civil time")
struct CivilTimeTests {
    @Test("Every fifth day of 800 years has the date and weekday of Foundation's calendar")
    func manyDays() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        // 1900 to 2700: with and without the leap days of centuries.
        for day in stride(from: Int64(-25_567), to: 266_632, by: 5) {
            let seconds = day * 86_400 + (day * 7919) % 86_400
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday],
                from: Date(timeIntervalSince1970: Double(seconds)))
            let time = CivilTime(seconds: seconds)
            let found = [time.month, time.day, time.hour, time.minute, time.second, time.weekday + 1]
            let expected = [parts.month, parts.day, parts.hour, parts.minute, parts.second, parts.weekday]
            #expect(Int(time.year) == parts.year)
            #expect(found == expected.map { $0 ?? -1 }, "second \(seconds)")
        }
    }

    @Test("The days around the end of February and of the year are correct")
    func edges() {
        #expect(Timestamp(seconds: 951_782_400).rfc3339 == "2000-02-29T00:00:00Z")
        #expect(Timestamp(seconds: 951_868_799).rfc3339 == "2000-02-29T23:59:59Z")
        #expect(Timestamp(seconds: 951_868_800).rfc3339 == "2000-03-01T00:00:00Z")
        #expect(Timestamp(seconds: 4_107_542_399).rfc3339 == "2100-02-28T23:59:59Z")
        #expect(Timestamp(seconds: 4_107_542_400).rfc3339 == "2100-03-01T00:00:00Z")
        #expect(Timestamp(seconds: 1_767_225_599).rfc3339 == "2025-12-31T23:59:59Z")
        #expect(Timestamp(seconds: -1).rfc3339 == "1969-12-31T23:59:59Z")
    }

    @Test("Random bytes have the requested number, and differ")
    func randomBytes() {
        for count in [0, 1, 7, 8, 9, 10, 16, 32] { #expect(SystemRandomBytes.make(count).count == count) }
        #expect(SystemRandomBytes.make(16) != SystemRandomBytes.make(16))
        // Each position takes many values: no byte of the last word is constant.
        let rows = (0..<64).map { _ in SystemRandomBytes.make(10) }
        for position in 0..<10 { #expect(Set(rows.map { $0[position] }).count > 20) }
    }
}
