/// Rows in the text format of `COPY` (PostgreSQL documentation, COPY, "Text Format"), UTF-8.
///
/// It is also the canonical form of a row: each value has exactly one text, so equal rows have equal bytes in both stores.
package struct CopyLines: Sendable {
    package private(set) var bytes: [UInt8] = []
    package private(set) var rows = 0
    private var isInRow = false

    private static let tab = UInt8(ascii: "\t")
    private static let newline = UInt8(ascii: "\n")
    private static let backslash = UInt8(ascii: "\\")
    /// The characters that the format escapes, with the letter after the backslash.
    private static let letters: [UInt8: UInt8] = [
        8: UInt8(ascii: "b"), 12: UInt8(ascii: "f"), newline: UInt8(ascii: "n"), 13: UInt8(ascii: "r"),
        tab: UInt8(ascii: "t"), 11: UInt8(ascii: "v"), backslash: backslash,
    ]
    private static let digits = Array("0123456789abcdef".utf8)

    package init() {}

    package var isEmpty: Bool { rows == 0 }

    package mutating func appendNull() {
        separate()
        bytes.append(Self.backslash)
        bytes.append(UInt8(ascii: "N"))
    }

    package mutating func append(text: some Sequence<UInt8>) {
        separate()
        for byte in text {
            if byte > 13, byte != Self.backslash {
                bytes.append(byte)
            } else if let letter = Self.letters[byte] {
                bytes.append(Self.backslash)
                bytes.append(letter)
            } else {
                bytes.append(byte)
            }
        }
    }

    package mutating func append(integer: Int64) {
        separate()
        bytes.append(contentsOf: String(integer).utf8)
    }

    package mutating func append(boolean: Bool) {
        separate()
        bytes.append(UInt8(ascii: boolean ? "t" : "f"))
    }

    /// The hexadecimal format of `bytea`, with its backslash escaped.
    package mutating func append(data: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: "\\\\x".utf8)
        for byte in data {
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 15)])
        }
    }

    package mutating func endRow() {
        bytes.append(Self.newline)
        rows += 1
        isInRow = false
    }

    /// Appends the columns of a row that has this form already, after those that were appended one by one.
    ///
    /// - Parameter line: Ends with a newline.
    package mutating func appendRest(line: UnsafeRawBufferPointer) {
        separate()
        bytes.append(contentsOf: line)
        rows += 1
        isInRow = false
    }

    private mutating func separate() {
        if isInRow { bytes.append(Self.tab) }
        isInRow = true
    }
}
