internal import Foundation

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
