import Foundation
import NIOCore
import NIOPosix

/// A server on a free port of loopback that answers each request with the test's bytes, valid HTTP or not.
final class PlayedServer: Sendable {
    enum Answer: Sendable {
        /// Sends these bytes and keeps the connection open.
        case bytes(String)
        /// Sends these bytes and closes the connection.
        case last(String)
        /// Sends the head, and then the same bytes until the client closes the connection.
        case endless(head: String, String)

        static func complete(_ body: String = "", status: String = "200 OK", headers: String = "") -> Answer {
            .bytes("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    let port: Int
    let traffic: SeenTraffic
    private let channel: any Channel

    /// Runs work with a server.
    ///
    /// - Parameter answers: One for each request, in order, on whichever connection it arrives. The last one repeats.
    static func serve(_ answers: Answer..., work: (PlayedServer) async throws -> Void) async throws {
        let traffic = SeenTraffic()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answers: answers, traffic: traffic))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await work(PlayedServer(channel: channel, traffic: traffic))
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private init(channel: any Channel, traffic: SeenTraffic) {
        self.channel = channel
        self.traffic = traffic
        port = channel.localAddress?.port ?? 0
    }

    /// Requests of these tests have no body, or one that arrives together with the head.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answers: [Answer]
        private let traffic: SeenTraffic
        private var received = ""

        init(answers: [Answer], traffic: SeenTraffic) {
            self.answers = answers
            self.traffic = traffic
        }

        func channelActive(context: ChannelHandlerContext) { traffic.note { $0.connections += 1 } }
        func channelInactive(context: ChannelHandlerContext) { traffic.note { $0.closedConnections += 1 } }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let head = received.range(of: "\r\n\r\n") else { return }
            let expected = Self.bodyLength(received[..<head.lowerBound])
            guard received[head.upperBound...].utf8.count >= expected else { return }
            let request = received
            received = ""
            traffic.note { $0.requests.append(request) }
            play(answers[min(traffic.now.requests.count, answers.count) - 1], context)
        }

        private static func bodyLength(_ head: Substring) -> Int {
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            return line.flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) } ?? 0
        }

        private func play(_ answer: Answer, _ context: ChannelHandlerContext) {
            switch answer {
            case .bytes(let text): context.writeAndFlush(buffer(text), promise: nil)
            case .last(let text):
                context.writeAndFlush(buffer(text), promise: nil)
                context.close(promise: nil)
            case .endless(let head, let text):
                context.writeAndFlush(buffer(head), promise: nil)
                sendEndlessly(text, context)
            }
        }

        private func sendEndlessly(_ text: String, _ context: ChannelHandlerContext) {
            let channel = context.channel
            context.writeAndFlush(buffer(text)).assumeIsolated().whenSuccess { [self] in
                if channel.isActive { sendEndlessly(text, context) }
            }
        }

        private func buffer(_ text: String) -> NIOAny { wrapOutboundOut(ByteBuffer(string: text)) }
    }
}
