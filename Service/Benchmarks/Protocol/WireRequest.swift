import Foundation
import NIOCore
import SessionWire

/// Writes the bytes of requests to one server.
struct WireRequest {
    /// The origin in proofs, such as `http://localhost:8080`.
    let origin: String
    /// The value of `Host`.
    private let host: String

    init(port: Int) {
        host = "localhost:\(port)"
        origin = "http://\(host)"
    }

    func url(_ path: String) -> String { origin + path }

    /// The bytes of a request. Names and values must be valid: nothing is checked.
    func bytes(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: String = "",
        contentType: String = "application/json"
    ) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: 2048)
        buffer.writeString("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: service-benchmark\r\n")
        for (name, value) in headers {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.writeString(value)
            buffer.writeStaticString("\r\n")
        }
        if method != "GET" {
            buffer.writeString("Content-Type: \(contentType)\r\nContent-Length: \(body.utf8.count)\r\n")
        }
        buffer.writeStaticString("\r\n")
        buffer.writeString(body)
        return buffer
    }

    /// The same with a body of the wire protocol.
    func bytes(
        _ method: String, _ path: FrontendPath, headers: [(String, String)] = [], json: some Encodable
    ) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let body = String(decoding: try encoder.encode(json), as: UTF8.self)
        return bytes(method, path.rawValue, headers: headers, body: body)
    }
}
