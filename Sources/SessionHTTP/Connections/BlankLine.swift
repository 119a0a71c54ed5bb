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
        for index in bytes.indices {
            let byte = bytes[index]
            // Almost every byte of a line.
            if position == .line, byte != UInt8(ascii: "\n") { continue }
            switch (byte, position) {
            case (UInt8(ascii: "\n"), .line): position = .start
            case (UInt8(ascii: "\n"), _):
                position = .line
                return index + 1
            case (UInt8(ascii: "\r"), .start): position = .startWithReturn
            default: position = .line
            }
        }
        return bytes.count
    }
}
