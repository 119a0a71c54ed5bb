internal import Foundation

/// IMF-fixdate (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    static func parse(_ text: String) -> Date? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split { $0 == " " || $0 == ":" }
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let numbers = [1, 3, 4, 5, 6].map { Int(parts[$0]) }
        // Values outside of the syntax could trap in `Calendar`.
        guard let day = numbers[0], (1...31).contains(day), let year = numbers[1], (1...9999).contains(year),
            let hour = numbers[2], (0...23).contains(hour), let minute = numbers[3], (0...59).contains(minute),
            let second = numbers[4], (0...60).contains(second)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        guard let utc = TimeZone(secondsFromGMT: 0) else { return nil }
        calendar.timeZone = utc
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second))
    }
}
