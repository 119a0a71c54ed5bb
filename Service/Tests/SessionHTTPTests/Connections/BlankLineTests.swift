import NIOCore
import Testing

@testable import SessionHTTP

@Suite("Blank lines")
struct BlankLineTests {
    @Test(
        "Bytes are cut behind each blank line, with CR or without (RFC 9112 §2.2)",
        arguments: [
            ("a\r\n\r\nb\r\n\r\nc", [5, 5, 1]), ("a\n\nb\r\n\nc\n\r\nd", [3, 4, 4, 1]), ("\r\n\r\n", [4]),
            ("a\r\nb\r\n", [6]), ("a\r\r\n\rb\n\r\r\n", [10]), ("2\r\n\n\n\r\n0\r\n\r\n", [4, 3, 5]),
        ])
    func cuts(text: String, lengths: [Int]) {
        var bytes = ByteBuffer(string: text)
        var line = BlankLine()
        var found: [Int] = []
        while bytes.readableBytes > 0 {
            let length = bytes.withUnsafeReadableBytes { line.length(in: $0) }
            bytes.moveReaderIndex(forwardBy: length)
            found.append(length)
        }
        #expect(found == lengths)
    }

    @Test("A blank line is found wherever the pieces end", arguments: 1...6)
    func pieces(size: Int) {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        var bytes = ByteBuffer(string: text + "GET")
        var line = BlankLine()
        var read = 0
        while let piece = bytes.getSlice(at: bytes.readerIndex, length: min(size, bytes.readableBytes)),
            read < text.utf8.count
        {
            let length = piece.withUnsafeReadableBytes { line.length(in: $0) }
            bytes.moveReaderIndex(forwardBy: length)
            read += length
        }
        #expect(read == text.utf8.count)
    }
}
