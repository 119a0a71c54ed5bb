import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import SessionDomain
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
    private let log = LimitLog(logger: Logger(label: "test"), observer: NoObserver())

    @Test("A listener goes on accepting while no task is free, up to the bound of connections that wait")
    func bound() async throws {
        let (listener, socket) = (EmbeddedChannel(), Socket())
        try listener.pipeline.syncOperations.addHandlers(socket, AcceptHandler(accepted, log: log))
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

    @Test(
        "While the system cannot open connections, the listener tries it again every 100 milliseconds, and not at once")
    func exhausted() throws {
        let (listener, socket) = (EmbeddedChannel(), Socket())
        try listener.pipeline.syncOperations.addHandlers(socket, AcceptHandler(accepted, log: log))
        for attempt in 1...2 {
            listener.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            listener.pipeline.fireChannelReadComplete()
            listener.embeddedEventLoop.advanceTime(by: .milliseconds(99))
            listener.read()
            #expect(socket.reads == attempt - 1)
            listener.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            listener.read()
            #expect(socket.reads == attempt)
        }
        #expect(throws: IOError.self) { try listener.throwIfErrorCaught() }
    }

    #if !canImport(Network)
        @Test("The longer an event loop has not looked at the listener, the more connections it accepts at once")
        func pace() throws {
            let listener = EmbeddedChannel()
            try listener.pipeline.syncOperations.addHandler(AcceptHandler(accepted, log: log))
            for (milliseconds, count) in [(0, 4), (1, 4), (30, 30), (700, 256), (5, 5), (1, 4)] {
                listener.embeddedEventLoop.advanceTime(by: .milliseconds(Int64(milliseconds)))
                listener.pipeline.fireChannelReadComplete()
                let option = listener.options.last { $0.option is ChannelOptions.Types.MaxMessagesPerReadOption }
                #expect(option?.value as? UInt == UInt(count))
            }
        }
    #endif

    @Test("A connection that fails before a task serves it does not count")
    func failure() throws {
        let connection = AcceptedChannel(connection: Connection(fails: true), accepted: accepted)
        for _ in 0..<5 { _ = connection.setup(channel: EmbeddedChannel(), logger: logger) }
        #expect(accepted.hasRoom)
    }
}
