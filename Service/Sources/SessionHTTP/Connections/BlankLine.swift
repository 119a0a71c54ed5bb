import Foundation

/// Finds the blank line that ends the headers of a request or a chunked body (RFC 9112 §2.1, §7.1), across pieces.
///
/// It finds line ends without CR, too, so it finds at least the ends that a decoder finds.
struct BlankLine {
    private enum Position {
        case line
        /// Behind a line end.
        case start
        /// Behind a line end and CR.
        case startWithReturn
    }

    private var position = Position.line

    /// Returns how many bytes there are to the end of the first blank line, or all. The next call continues behind them.
    mutating func length(in bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < bytes.count {
            switch (bytes[index], position) {
            case (_, .line):
                // Skips the rest of the line.
                guard let end = Self.lineEnd(in: bytes, from: index) else { return bytes.count }
                (index, position) = (end, .start)
            case (UInt8(ascii: "\n"), _):
                position = .line
                return index + 1
            case (UInt8(ascii: "\r"), .start): position = .startWithReturn
            default: position = .line
            }
            index += 1
        }
        return bytes.count
    }

    /// The system's function compares many bytes at once.
    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
        guard let start = bytes.baseAddress,
            let end = memchr(start + index, CInt(UInt8(ascii: "\n")), bytes.count - index)
        else { return nil }
        return UnsafeRawPointer(end) - start
    }
}
