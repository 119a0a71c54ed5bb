import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import SessionHTTP

@Suite("Accepting connections")
struct AcceptHandlerTests {
    /// Counts what reaches the socket.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = any Channel

        var reads = 0

        func read(context: ChannelHandlerContext) { reads += 1 }
    }

    private struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    private struct Connection: ServerChildChannel {
        var fails = false

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            fails
                ? channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                : channel.eventLoop.makeSucceededFuture(Value(channel: channel))
        }

        func handle(value: Value, logger: Logger) async {}
    }

    private let logger = Logger(label: "test")
    private let accepted = AcceptedConnections(limit: 2)

    @Test("A listener goes on accepting while no task is free, up to the bound of connections that wait")
    func bound() async throws {
        let (listener, socket) = (EmbeddedChannel(), Socket())
        try listener.pipeline.syncOperations.addHandlers(socket, AcceptHandler(accepted))
        let connection = AcceptedChannel(connection: Connection(), accepted: accepted)
        var waiting: [Value] = []
        for _ in 0..<3 {
            waiting.append(try await connection.setup(channel: EmbeddedChannel(), logger: logger).get())
            listener.pipeline.fireChannelReadComplete()
            // After the second one, further connections wait in the system's queue.
            #expect(socket.reads == 1)
        }
        for value in waiting { await connection.handle(value: value, logger: logger) }
        listener.pipeline.fireChannelReadComplete()
        #expect(socket.reads == 2)
    }

    @Test("A connection that fails before a task serves it does not count")
    func failure() throws {
        let connection = AcceptedChannel(connection: Connection(fails: true), accepted: accepted)
        for _ in 0..<5 { _ = connection.setup(channel: EmbeddedChannel(), logger: logger) }
        #expect(accepted.hasRoom)
    }
}
