import Foundation
import NIOCore
import NIOPosix
import PreludeSession
import Testing

/// An HTTP/1.1 request that is sent byte for byte (RFC 9112 §3). No library folds, trims or rejects any part of it.
struct WireRequest: Sendable {
    var method = "GET"
    var path: String
    var host: String
    /// The header fields, in this order, with this spelling and these repetitions.
    var fields: [(name: String, value: [UInt8])] = []
    var body: String?

    mutating func add(_ name: String, _ value: String) { fields.append((name, Array(value.utf8))) }

    private var bytes: ByteBuffer {
        var bytes = ByteBuffer(string: "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n")
        for (name, value) in fields {
            bytes.writeString(name + ": ")
            bytes.writeBytes(value)
            bytes.writeString("\r\n")
        }
        if let body {
            bytes.writeString("Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n")
        }
        bytes.writeString("\r\n" + (body ?? ""))
        return bytes
    }

    /// Sends the request on a new connection.
    func send(to port: Int) async throws -> WireAnswer {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let received = loop.makePromise(of: ByteBuffer.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collector(received: received))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            received.fail(error)
            throw error
        }
        try await channel.writeAndFlush(bytes).get()
        return try WireAnswer(try await received.futureResult.get())
    }

    /// Collects bytes until the server closes the connection.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var bytes = ByteBuffer()
        private let received: EventLoopPromise<ByteBuffer>

        init(received: EventLoopPromise<ByteBuffer>) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            bytes.writeBuffer(&part)
        }

        func channelInactive(context: ChannelHandlerContext) { received.succeed(bytes) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            received.fail(error)
            context.close(promise: nil)
        }
    }
}

/// A response to a `WireRequest`.
struct WireAnswer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [String: PreludeJSONValue]

    init(_ bytes: ByteBuffer) throws {
        let text = String(buffer: bytes)
        let end = try #require(text.range(of: "\r\n\r\n"), "an answer has a head")
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        status = try #require(lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
        fields = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
        }
        body =
            (try? JSONDecoder().decode([String: PreludeJSONValue].self, from: Data(text[end.upperBound...].utf8)))
            ?? [:]
    }

    /// The error code.
    var code: String? { body["code"]?.stringValue }

    /// The value of a field; `nil` if the field is missing or repeated.
    func field(_ name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}
