import Foundation
import NIOCore

/// A received HTTP/1.1 message: a response, or a request of the service to its played backend.
struct Message {
    let head: ByteBuffer
    let body: ByteBuffer

    /// The status of a response; 0 without one.
    var status: Int {
        let view = head.readableBytesView
        guard view.count > 12 else { return 0 }
        return view.dropFirst(9).prefix(3).reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }

    /// The value of a header. The name must be in lower case.
    func header(_ name: String) -> String? { Self.header(name, in: head.readableBytesView) }

    /// The text of a member of the JSON body. It must have no escapes, as tokens and codes have none.
    func member(_ name: String) -> String? {
        let view = body.readableBytesView
        let mark = Array("\"\(name)\":\"".utf8)
        guard let found = view.firstRange(of: mark) else { return nil }
        return String(decoding: view[found.upperBound...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    var bodyText: String { String(decoding: body.readableBytesView, as: UTF8.self) }

    fileprivate static func header(_ name: String, in head: ByteBufferView) -> String? {
        let wanted = name.utf8
        var line = head.startIndex
        while let end = head[line...].firstIndex(of: UInt8(ascii: "\n")) {
            let text = head[line..<end]
            if text.count > wanted.count, text[text.startIndex + wanted.count] == UInt8(ascii: ":"),
                zip(text, wanted).allSatisfy({ $0 | 0x20 == $1 || $0 == $1 })
            {
                let value = text.dropFirst(wanted.count + 1).drop { $0 == UInt8(ascii: " ") }
                return String(decoding: value.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            line = head.index(after: end)
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
    mutating func next() throws -> Message? {
        let view = received.readableBytesView
        guard let end = view.firstRange(of: Self.headEnd) else { return nil }
        let head = view[..<end.upperBound]
        guard Message.header("transfer-encoding", in: head) == nil else {
            throw BenchmarkError("a message has no Content-Length")
        }
        let length = Message.header("content-length", in: head).flatMap { Int($0) } ?? 0
        guard view.count >= head.count + length, let headBytes = received.readSlice(length: head.count),
            let body = received.readSlice(length: length)
        else { return nil }
        return Message(head: headBytes, body: body)
    }
}
