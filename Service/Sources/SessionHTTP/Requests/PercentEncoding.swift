/// Percent-encoded texts (RFC 3986 §2.1).
package enum PercentEncoding {
    /// The bytes that a text of a form in UTF-8 stands for, where a plus sign is a space (URL Standard,
    /// "application/x-www-form-urlencoded"). `nil`: a percent sign is not followed by two hexadecimal digits.
    package static func decodedForm(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, input) = ([UInt8](), text.makeIterator())
        while let byte = input.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = input.next().flatMap(digit), let low = input.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
