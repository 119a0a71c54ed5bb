import SessionDomain
import Synchronization

/// The date format of HTTP headers, IMF-fixdate (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func format(_ timestamp: Timestamp) -> String {
        let time = CalendarTime(seconds: timestamp.seconds)
        return "\(weekdays[time.weekday]), \(time.day) \(months[time.month - 1]) \(time.year) \(time.clock) GMT"
    }
}

/// Formats the time of responses once for each second.
final class LatestDate: Sendable {
    private let latest = Mutex((seconds: Int64.min, text: ""))

    func text(of timestamp: Timestamp) -> String {
        latest.withLock { latest in
            if latest.seconds != timestamp.seconds {
                latest = (timestamp.seconds, HTTPDate.format(timestamp))
            }
            return latest.text
        }
    }
}
