package import Foundation

/// A time in milliseconds since 1970, UTC. Stores keep it and rules compare it.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    package var milliseconds: Int64

    /// Stands for the time of what has not happened.
    package static let never = Timestamp(milliseconds: 0)

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

    /// Seconds from an earlier time to this one, 0 if it is later.
    package func seconds(since earlier: Timestamp) -> Double {
        Double(max(0, milliseconds - earlier.milliseconds)) / 1000
    }

    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// RFC 3339 in UTC with `Z`, in whole seconds.
    package var rfc3339: String {
        let time = CalendarTime(seconds: seconds)
        return "\(time.date)T\(time.clock)Z"
    }

    /// Reads RFC 3339 in UTC with `Z`. A fraction of a second has 1 to 3 digits.
    ///
    /// - Returns: `nil` for another format, and for a date that does not exist.
    package init?(rfc3339 text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var fraction = 0
        if parts.count == 2 {
            let digits = parts[1].dropLast()
            guard parts[1].last == "Z", (1...3).contains(digits.utf8.count), let value = Int(digits), value >= 0,
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            fraction = value * [100, 10, 1][digits.utf8.count - 1]
        }
        let whole = parts.count == 2 ? parts[0] + "Z" : parts[0]
        guard whole.utf8.count == 20, let date = try? Date(String(whole), strategy: .iso8601) else { return nil }
        self.init(milliseconds: Int64(date.timeIntervalSince1970) * 1000 + Int64(fraction))
        // A date such as February 31 is read as another one.
        guard rfc3339 == whole else { return nil }
    }

    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

/// A time in the Gregorian calendar and UTC.
///
/// Formats of each response use it. Foundation's formatters load ICU, with megabytes of code and tables.
package struct CalendarTime {
    private let parts: tm

    /// - Parameter seconds: Seconds since 1970, UTC.
    package init(seconds: Int64) {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        self.parts = parts
    }

    /// Four digits or more, such as `2027`.
    package var year: String { Self.padded(Int(parts.tm_year) + 1900, to: 4) }
    /// 1 to 12.
    package var month: Int { Int(parts.tm_mon) + 1 }
    /// Two digits, `01` to `31`.
    package var day: String { Self.padded(Int(parts.tm_mday), to: 2) }
    /// 0 to 6, and 0 is Sunday.
    package var weekday: Int { Int(parts.tm_wday) }
    /// `hh:mm:ss`.
    package var clock: String {
        String(unsafeUninitializedCapacity: 8) { bytes in
            for (index, part) in [parts.tm_hour, parts.tm_min, parts.tm_sec].enumerated() {
                bytes[index * 3] = UInt8(ascii: "0") + UInt8(part / 10)
                bytes[index * 3 + 1] = UInt8(ascii: "0") + UInt8(part % 10)
                if index < 2 { bytes[index * 3 + 2] = UInt8(ascii: ":") }
            }
            return 8
        }
    }
    /// `yyyy-mm-dd`.
    package var date: String { "\(year)-\(Self.padded(month, to: 2))-\(day)" }

    /// A number with zeros in front, so that it has this many digits or more.
    package static func padded(_ number: Int, to digits: Int) -> String {
        guard number >= 0 else { return String(number) }
        var rest = number
        let text = String(unsafeUninitializedCapacity: digits) { bytes in
            for index in (0..<digits).reversed() {
                bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            return digits
        }
        return rest == 0 ? text : String(number)
    }
}
