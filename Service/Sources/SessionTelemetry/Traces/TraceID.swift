/// The id of a trace: 16 bytes, not all zero. Its description has 32 lower-case hexadecimal digits.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter random: 16 random bytes.
    package init(random bytes: [UInt8]) {
        self.init(high: Hex.joined(bytes.prefix(8)), low: max(1, Hex.joined(bytes.dropFirst(8))))
    }

    package var description: String { Hex.text(high) + Hex.text(low) }
}

/// The id of a span: 8 bytes, not all zero. Its description has 16 lower-case hexadecimal digits.
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }

    /// - Parameter random: 8 random bytes.
    package init(random bytes: [UInt8]) { value = max(1, Hex.joined(bytes[...])) }

    package var description: String { Hex.text(value) }
}

/// Lower-case hexadecimal digits.
enum Hex {
    /// Returns the number that up to 16 lower-case digits mean. `nil` for any other byte.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// 16 digits.
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The number of up to 8 bytes, the highest first.
    static func joined(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
