import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A real server on its own port that sends the same reply to every request.
final class TestServer: Sendable {
    enum Reply: Sendable {
        case answer(HTTPResponseStatus, headers: [(String, String)] = [], body: String = "")
        /// A body in chunks, without a Content-Length.
        case chunks([String])
        /// Sends the head and half of the body, and then nothing.
        case stuck
        case silence
        /// Sends these bytes, valid HTTP or not. Then closes the connection if `closes` is true.
        case bytes(String, closes: Bool = false)
    }

    struct Request: Sendable {
        var head: HTTPRequestHead
        var body = ""
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
    }

    private final class Log: Sendable {
        let state = Mutex(State())
    }

    private let log: Log
    private let channel: any Channel

    let port: Int
    var requests: [Request] { log.state.withLock(\.requests) }
    var connections: Int { log.state.withLock(\.connections) }

    /// - Parameter tls: The certificate and key for https; `nil` for http.
    static func start(_ reply: Reply, address: String = "127.0.0.1", tls: TestCertificates? = nil) async throws
        -> TestServer
    {
        let context = try tls.map { try NIOSSLContext(configuration: $0.serverConfiguration()) }
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(Handler(reply: reply, log: log))
                }
            }
            .bind(host: address, port: 0).get()
        return try TestServer(channel: channel, log: log)
    }

    private init(channel: any Channel, log: Log) throws {
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.channel = channel
        self.log = log
        self.port = port
    }

    func stop() async throws {
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let reply: Reply
        private let log: Log
        private var request: Request?

        init(reply: Reply, log: Log) {
            self.reply = reply
            self.log = log
        }

        func channelActive(context: ChannelHandlerContext) {
            log.state.withLock { $0.connections += 1 }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): request = Request(head: head)
            case .body(let bytes): request?.body += String(buffer: bytes)
            case .end:
                if let request { log.state.withLock { $0.requests.append(request) } }
                answer(context)
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            switch reply {
            case .answer(let status, let headers, let body):
                let length =
                    headers.contains { $0.0 == "content-length" } ? [] : [("content-length", "\(body.utf8.count)")]
                send(context, status, HTTPHeaders(headers + length), [body], ends: true)
            case .chunks(let chunks):
                send(context, .ok, ["transfer-encoding": "chunked"], chunks, ends: true)
            case .stuck:
                send(context, .ok, ["content-length": "10"], ["12345"], ends: false)
            case .silence: break
            case .bytes(let text, let closes): sendBytes(context, text, closes: closes)
            }
        }

        /// Sends bytes past the encoder.
        private func sendBytes(_ context: ChannelHandlerContext, _ text: String, closes: Bool) {
            guard let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            else { return }
            encoder.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            if closes { encoder.close(promise: nil) }
        }

        private func send(
            _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ chunks: [String],
            ends: Bool
        ) {
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            for chunk in chunks {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: chunk)))), promise: nil)
            }
            if ends { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
            context.flush()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // Ignored: a client that does not trust the certificate closes the connection during the handshake.
            context.close(promise: nil)
        }
    }
}
