package import Foundation

/// A time in milliseconds since 1970, UTC. Stores keep it and rules compare it.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// Whole seconds since 1970, as in tokens. Milliseconds are cut off.
    package var seconds: Int64 { milliseconds / 1000 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Adds a number of seconds.
    package static func + (left: Timestamp, seconds: Int) -> Timestamp {
        Timestamp(milliseconds: left.milliseconds + Int64(seconds) * 1000)
    }

    /// Subtracts a number of seconds.
    package static func - (left: Timestamp, seconds: Int) -> Timestamp { left + -seconds }

    /// Seconds from `now` to this time, rounded up, at least 1: the value of `Retry-After` (RFC 9110 §10.2.3).
    package func retryAfter(from now: Timestamp) -> Int {
        max(1, Int((milliseconds - now.milliseconds + 999) / 1000))
    }

    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// RFC 3339 in UTC with `Z`, in whole seconds.
    package var rfc3339: String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    /// Reads RFC 3339 in whole seconds, such as `2027-01-01T12:00:00Z`. `nil` for other texts, and for times before 1970.
    package init?(rfc3339 text: String) {
        guard text.utf8.count <= 32, let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0
        else { return nil }
        self.init(seconds: Int64(date.timeIntervalSince1970))
    }

    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
