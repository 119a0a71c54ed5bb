/// A time as people write it: date and time of day in UTC, in the Gregorian calendar.
///
/// Integers only, because each response has two dates, and Foundation's formats cost 20 µs each and load the data of ICU.
package struct CivilTime: Sendable, Equatable {
    package let year: Int64
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// 0 is Sunday.
    package let weekday: Int

    /// - Parameter seconds: Seconds since 1970. Years before 1970 are valid.
    package init(seconds: Int64) {
        let days = Self.floorDivide(seconds, 86_400)
        let ofDay = Int(seconds - days * 86_400)
        (hour, minute, second) = (ofDay / 3600, ofDay / 60 % 60, ofDay % 60)
        // 1970 began on a Thursday.
        weekday = Int(days + 4 - Self.floorDivide(days + 4, 7) * 7)

        // Years are counted from March 1 of year 0, so that the leap day is the last day of a year. 400 such years have
        // 146 097 days, and 719 468 days are between that day and 1970.
        let shifted = days + 719_468
        let cycle = Self.floorDivide(shifted, 146_097)
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = Int(dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100))
        // March to July, and August to December, have 31 and 30 days in turn: 153 days in five months.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value < quotient * divisor ? quotient - 1 : quotient
    }

    /// The decimal digits of a part, with zeros in front.
    package static func digits(_ value: some BinaryInteger, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
