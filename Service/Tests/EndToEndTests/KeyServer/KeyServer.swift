import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server on a free port with one fixed response for each path.
final class KeyServer: Sendable {
    struct Response: Sendable {
        var status = HTTPResponseStatus.ok
        var headers: [(String, String)] = []
        var body = ""
        /// Sends the body repeatedly until the client closes the connection.
        var isEndless = false
    }

    private final class Log: Sendable {
        let paths = Mutex<[String]>([])
    }

    private let channel: any Channel
    private let log: Log

    /// The requested paths in order.
    var paths: [String] { log.paths.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    private init(channel: any Channel, log: Log) {
        self.channel = channel
        self.log = log
    }

    static func start(_ responses: [String: Response]) async throws -> KeyServer {
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(responses: responses, log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return KeyServer(channel: channel, log: log)
    }

    func stop() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let responses: [String: Response]
        private let log: Log
        private var path = ""

        init(responses: [String: Response], log: Log) {
            self.responses = responses
            self.log = log
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): path = head.uri
            case .body: break
            case .end:
                log.paths.withLock { $0.append(path) }
                let response = responses[path] ?? Response(status: .notFound)
                let length = response.isEndless ? [] : [("content-length", "\(response.body.utf8.count)")]
                let headers = HTTPHeaders(response.headers + length)
                let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                if response.isEndless { return sendEndlessly(response.body, context: context) }
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: response.body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        private func sendEndlessly(_ body: String, context: ChannelHandlerContext) {
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))))
                .assumeIsolated().whenSuccess { [self] in
                    if channel.isActive { sendEndlessly(body, context: context) }
                }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
