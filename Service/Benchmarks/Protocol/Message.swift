import Foundation
import NIOCore

/// A received HTTP/1.1 message: a response, or a request of the service to its played backend.
struct Message {
    let head: ByteBuffer
    let body: ByteBuffer

    /// The status of a response; 0 without one.
    var status: Int {
        head.getString(at: head.readerIndex + 9, length: 3).flatMap { Int($0) } ?? 0
    }

    /// The value of a header.
    func header(_ name: SoughtName) -> String? { head.withUnsafeReadableBytes { name.value(in: $0) } }

    /// The text of a member of the JSON body. It must have no escapes, as tokens and codes have none.
    func member(_ name: String) -> String? {
        let mark = Array("\"\(name)\":".utf8)
        return body.withUnsafeReadableBytes { bytes in
            guard let behind = bytes.firstIndex(of: mark).map({ $0 + mark.count }),
                let quote = bytes[behind...].firstIndex(where: { $0 != UInt8(ascii: " ") }),
                bytes[quote] == UInt8(ascii: "\""),
                let end = UnsafeRawBufferPointer(rebasing: bytes[(quote + 1)...]).firstIndex(of: [UInt8(ascii: "\"")])
            else { return nil }
            return String(decoding: bytes[(quote + 1)..<(quote + 1 + end)], as: UTF8.self)
        }
    }

    var bodyText: String { String(decoding: body.readableBytesView, as: UTF8.self) }
}

/// The name of a header, ready to be compared without regard to case.
struct SoughtName: Sendable {
    static let contentLength = SoughtName("Content-Length")
    static let transferEncoding = SoughtName("Transfer-Encoding")

    private let text: [CChar]

    init(_ name: String) { text = (name + ":").utf8.map { CChar(bitPattern: $0) } }

    /// The value of the first header with this name.
    func value(in head: UnsafeRawBufferPointer) -> String? {
        guard let base = head.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
        var offset = 0
        while let end = memchr(base + offset, 10, head.count - offset) {
            let next = UnsafeRawPointer(end) - UnsafeRawPointer(base) + 1
            if next - offset > text.count, strncasecmp(base + offset, text, text.count) == 0 {
                let value = head[(offset + text.count)..<(next - 1)].drop { $0 == UInt8(ascii: " ") }
                return String(decoding: value.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            offset = next
        }
        return nil
    }
}

/// Cuts the bytes of a connection into messages. Bodies need `Content-Length`; without it there is none.
struct MessageReader {
    private var received = ByteBuffer()
    private static let headEnd = Array("\r\n\r\n".utf8)

    mutating func append(_ part: ByteBuffer) {
        if received.readableBytes == 0 {
            received = part
        } else {
            received.writeImmutableBuffer(part)
        }
    }

    /// - Returns: `nil` until a whole message has arrived.
    /// - Throws: `BenchmarkError` for a body in chunks.
    mutating func next() throws -> Message? {
        let lengths: (head: Int, body: Int)? = try received.withUnsafeReadableBytes { bytes in
            guard let end = bytes.firstIndex(of: Self.headEnd) else { return nil }
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<(end + 4)])
            guard SoughtName.transferEncoding.value(in: head) == nil else {
                throw BenchmarkError("a message has no Content-Length")
            }
            return (head.count, SoughtName.contentLength.value(in: head).flatMap { Int($0) } ?? 0)
        }
        guard let lengths, received.readableBytes >= lengths.head + lengths.body,
            let head = received.readSlice(length: lengths.head), let body = received.readSlice(length: lengths.body)
        else { return nil }
        return Message(head: head, body: body)
    }
}

extension UnsafeRawBufferPointer {
    /// Where bytes occur for the first time.
    fileprivate func firstIndex(of bytes: [UInt8]) -> Int? {
        guard let baseAddress, let first = bytes.first else { return nil }
        var offset = 0
        while count - offset >= bytes.count,
            let found = memchr(baseAddress + offset, Int32(first), count - offset - bytes.count + 1)
        {
            if memcmp(found, bytes, bytes.count) == 0 { return UnsafeRawPointer(found) - baseAddress }
            offset = UnsafeRawPointer(found) - baseAddress + 1
        }
        return nil
    }
}
