internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("Times in the calendar")
struct CalendarTimeTests {
    @Test(
        "The parts have two digits, the year has four, and days begin at midnight UTC", arguments: [-1, 0, 784_111_777])
    func parts(seconds: Int64) {
        let time = CalendarTime(seconds: seconds)
        let expected: [Int64: (String, String, Int)] = [
            -1: ("1969-12-31", "23:59:59", 3), 0: ("1970-01-01", "00:00:00", 4),
            784_111_777: ("1994-11-06", "08:49:37", 0),
        ]
        #expect(expected[seconds]! == (time.date, time.clock, time.weekday))
    }

    @Test("Every time is the one that Foundation formats")
    func foundation() {
        for step in 0..<4000 {
            let seconds = Int64(step) * 63_072_013 / 3
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            #expect(Timestamp(seconds: seconds).rfc3339 == date.formatted(.iso8601))
        }
    }
}
