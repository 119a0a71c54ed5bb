import NIOCore

/// Gives the bytes of a connection to the decoder, and keeps them while a request waits for its response.
///
/// Decoding all requests that one read delivers would keep the event loop from other connections. So the decoder gets
/// small pieces, and none while the gate is closed. What the gate keeps is bounded: it does not read meanwhile, so the
/// system stops the client.
final class RequestGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Reports that bytes have arrived. The decoder reports only complete headers.
    struct Arrived {}

    private enum State {
        case open, closed
        /// All further bytes are dropped.
        case discarding
    }

    /// The most bytes that the decoder gets at once. This bounds the requests of one client that are decoded at a time.
    static let pieceSize = 1024

    private var state = State.open
    private var kept = ByteBuffer()
    private var isPassing = false
    private var readIsPending = false
    private var inputIsClosed = false
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Gate

    /// Keeps further bytes: a complete request waits for its response.
    func close() {
        if state == .open { state = .closed }
    }

    /// Passes the kept bytes until the gate closes again.
    func open() {
        guard state == .closed, let context else { return }
        state = .open
        // The caller of a closing gate passes the rest.
        guard !isPassing else { return }
        let hasPassed = pass(context)
        if hasPassed { context.fireChannelReadComplete() }
    }

    /// Drops the kept bytes and all that follow.
    func discard() {
        state = .discarding
        kept.clear()
        guard let context, !isPassing else { return }
        continueReading(context)
    }

    // MARK: Channel

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .discarding else { return }
        var bytes = Self.unwrapInboundIn(data)
        if kept.readableBytes == 0 { kept = bytes } else { kept.writeBuffer(&bytes) }
        guard !isPassing else { return }
        pass(context)
    }

    func read(context: ChannelHandlerContext) {
        if kept.readableBytes > 0 { readIsPending = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent, kept.readableBytes > 0 {
            inputIsClosed = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        state = .discarding
        kept.clear()
        context.fireChannelInactive()
    }

    /// Returns whether the decoder got bytes.
    @discardableResult
    private func pass(_ context: ChannelHandlerContext) -> Bool {
        isPassing = true
        defer { isPassing = false }
        var hasPassed = false
        // The last byte goes alone. So the gate is closed before it if it belongs to the next request, and the first
        // bytes of that request are known to have arrived.
        while state == .open, let piece = kept.readSlice(length: min(Self.pieceSize, max(1, kept.readableBytes - 1))) {
            hasPassed = true
            context.fireUserInboundEventTriggered(Arrived())
            context.fireChannelRead(Self.wrapInboundOut(piece))
        }
        continueReading(context)
        return hasPassed
    }

    /// Does what had to wait for the kept bytes.
    private func continueReading(_ context: ChannelHandlerContext) {
        guard kept.readableBytes == 0 else { return }
        if inputIsClosed {
            inputIsClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if readIsPending {
            readIsPending = false
            context.read()
        }
    }
}
