import NIOCore
import Synchronization

/// The connections of a `LoopbackServer`: counts them, and closes one inside the head of its next response.
final class ObservedLine: Sendable {
    private struct State {
        var connections = 0
        var responses = 0
        var cutsNext = false
    }

    private let state = Mutex(State())
    private let closings = AsyncStream.makeStream(of: Void.self)

    var connections: Int { state.withLock(\.connections) }
    /// How many responses the server has begun to send, whole or not.
    var responses: Int { state.withLock(\.responses) }

    /// Sends only the status line and part of a field of the next response, and then closes the connection.
    func cutNextHead() { state.withLock { $0.cutsNext = true } }

    /// Waits until a connection has closed that was not waited for before.
    func closing() async { _ = await closings.stream.first { true } }

    fileprivate func opened() { state.withLock { $0.connections += 1 } }
    fileprivate func closed() { closings.continuation.yield() }

    fileprivate func beginsResponse() -> Bool {
        state.withLock { state in
            state.responses += 1
            defer { state.cutsNext = false }
            return state.cutsNext
        }
    }

    /// Adds itself in front of the decoder, where it sees bytes.
    final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        private let line: ObservedLine

        init(_ line: ObservedLine) { self.line = line }

        func handlerAdded(context: ChannelHandlerContext) {
            // Fails only when the connection is already closed.
            try? context.pipeline.syncOperations.addHandler(Bytes(line), position: .first)
        }
    }

    private final class Bytes: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        private let line: ObservedLine
        private var isCut = false

        init(_ line: ObservedLine) { self.line = line }

        func handlerAdded(context: ChannelHandlerContext) { line.opened() }

        func channelInactive(context: ChannelHandlerContext) {
            line.closed()
            context.fireChannelInactive()
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard !isCut else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
            guard case .byteBuffer(var bytes) = unwrapOutboundIn(data),
                bytes.getString(at: bytes.readerIndex, length: 5) == "HTTP/", line.beginsResponse()
            else { return context.write(data, promise: promise) }
            isCut = true
            let begun = bytes.readSlice(length: "HTTP/1.1 200 OK\r\nConte".utf8.count) ?? bytes
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(begun)), promise: promise)
            context.close(promise: nil)
        }
    }
}
