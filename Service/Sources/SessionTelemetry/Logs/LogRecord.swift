package import Logging
internal import SessionDomain

/// One record of the log.
package struct LogRecord: Sendable {
    /// Milliseconds since 1970.
    package let milliseconds: Int64
    package let level: Logger.Level
    package let logger: String
    package let message: String
    /// In the order of its names.
    package let metadata: [(key: String, value: Logger.MetadataValue)]

    package init(
        milliseconds: Int64, level: Logger.Level, logger: String, message: String,
        metadata: [(key: String, value: Logger.MetadataValue)]
    ) {
        self.milliseconds = milliseconds
        self.level = level
        self.logger = logger
        self.message = message
        self.metadata = metadata
    }

    /// RFC 3339 in UTC, with milliseconds. Written by hand, because formatters of Foundation are slow.
    package var timestamp: String {
        let days = Self.floored(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.date(days: days)
        let rest = milliseconds - days * 86_400_000
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ number: Int64, _ width: Int, _ end: Unicode.Scalar) {
            text.append(contentsOf: CalendarTime.padded(Int(number), to: width).utf8)
            text.append(UInt8(ascii: end))
        }
        append(year, 4, "-")
        append(month, 2, "-")
        append(day, 2, "T")
        append(rest / 3_600_000, 2, ":")
        append(rest / 60_000 % 60, 2, ":")
        append(rest / 1000 % 60, 2, ".")
        append(rest % 1000, 3, "Z")
        return String(decoding: text, as: UTF8.self)
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// The date of a number of days since 1970-01-01. Years begin in March, so that the leap day is the last one; an era is
    /// 400 years.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floored(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
