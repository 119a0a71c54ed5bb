import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SessionEgress

@Suite("Head and body of a request in one piece")
struct JoinedRequestTests {
    private let channel = EmbeddedChannel(handler: JoinedRequest())

    private func head(_ headers: HTTPHeaders) -> HTTPClientRequestPart {
        .head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: headers))
    }

    private var body: HTTPClientRequestPart { .body(.byteBuffer(ByteBuffer(string: "hello"))) }

    private func sent() throws -> Int {
        var count = 0
        while try channel.readOutbound(as: HTTPClientRequestPart.self) != nil { count += 1 }
        return count
    }

    @Test("A head waits for the begin of its body, and the rest of the body for nothing")
    func joined() throws {
        for _ in 0..<2 {
            channel.write(head(["content-length": "10"]), promise: nil)
            channel.flush()
            #expect(try sent() == 0)
            channel.write(body, promise: nil)
            channel.flush()
            #expect(try sent() == 2)
            channel.write(body, promise: nil)
            channel.write(HTTPClientRequestPart.end(nil), promise: nil)
            channel.flush()
            #expect(try sent() == 2)
        }
    }

    @Test("A head without a body of a known length does not wait", arguments: [nil, "0", "x"])
    func alone(length: String?) throws {
        channel.write(head(length.map { ["content-length": $0] } ?? [:]), promise: nil)
        channel.flush()
        #expect(try sent() == 1)
    }
}
