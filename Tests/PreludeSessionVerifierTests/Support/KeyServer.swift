import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server on a free port with one fixed response for each path.
final class KeyServer: Sendable {
    struct Answer: Sendable {
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

    static func start(_ answers: [String: Answer]) async throws -> KeyServer {
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(answers: answers, log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return KeyServer(channel: channel, log: log)
    }

    func stop() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answers: [String: Answer]
        private let log: Log
        private var path = ""

        init(answers: [String: Answer], log: Log) {
            self.answers = answers
            self.log = log
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): path = head.uri
            case .body: break
            case .end:
                log.paths.withLock { $0.append(path) }
                let answer = answers[path] ?? Answer(status: .notFound)
                let length = answer.isEndless ? [] : [("content-length", "\(answer.body.utf8.count)")]
                let headers = HTTPHeaders(answer.headers + length)
                let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                if answer.isEndless { return sendEndlessly(answer.body, context: context) }
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
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
