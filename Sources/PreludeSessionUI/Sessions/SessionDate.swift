internal import Foundation

/// Reads the times of a session (RFC 3339 §5.6).
enum SessionDate {
    static func read(_ text: String) -> Date? {
        let formatter = ISO8601DateFormatter()
        for options in [.withInternetDateTime, [.withInternetDateTime, .withFractionalSeconds]]
            as [ISO8601DateFormatter.Options]
        {
            formatter.formatOptions = options
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
