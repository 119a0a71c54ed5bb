internal import Foundation
internal import SessionDomain

/// The date format of mail, in UTC (RFC 5322 §3.3).
enum MailDate {
    static func format(_ time: Timestamp) -> String {
        let style = Date.VerbatimFormatStyle(
            format:
                "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSince1970: Double(time.seconds)).formatted(style)
    }
}
