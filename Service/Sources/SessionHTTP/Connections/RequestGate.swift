import Foundation
import NIOCore

/// Gives the bytes of a connection to the decoder, and keeps them while a request waits for its response.
///
/// Decoding all requests that one read delivers would keep the event loop from other connections. So the decoder gets
/// one request at most, in small pieces, and nothing while the gate is closed. Many pieces wait for the next turn of the
/// event loop. A request ends at a blank line, or at the end of a body whose length its headers name. Each byte is read once to find that. What the gate keeps is bounded: it
/// does not read meanwhile, so the system stops the client.
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

    /// The most bytes that the decoder gets at once.
    static let pieceSize = 1024
    /// The most pieces in one turn of the event loop. Each blank line ends one, so a piece can be one byte.
    static let piecesPerTurn = 64

    private var state = State.open
    private var kept = ByteBuffer()
    private var blankLine = BlankLine()
    /// The bytes that follow of a body with `Content-Length`.
    private var bodyLength = 0
    private var isPassing = false
    /// Whether the next turn of the event loop passes the rest.
    private var hasTurn = false
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

    /// The headers of a request name the length of its body, which begins with the next piece.
    func expectBody(of length: Int) { bodyLength = max(0, length) }

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
        guard !isPassing, !hasTurn else { return }
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
        var count = 0
        while state == .open, count < Self.piecesPerTurn, let piece = nextPiece() {
            count += 1
            context.fireUserInboundEventTriggered(Arrived())
            context.fireChannelRead(Self.wrapInboundOut(piece))
        }
        if state == .open, kept.readableBytes > 0 { passInNextTurn(context) }
        continueReading(context)
        return count > 0
    }

    /// Lets other connections of the event loop go on first.
    private func passInNextTurn(_ context: ChannelHandlerContext) {
        guard !hasTurn else { return }
        hasTurn = true
        context.eventLoop.assumeIsolated().execute { [self] in
            hasTurn = false
            guard state == .open, let context = self.context else { return }
            if pass(context) { context.fireChannelReadComplete() }
        }
    }

    /// Takes the bytes to the end of the request, or `pieceSize`. A blank line in a chunked body makes a smaller piece.
    private func nextPiece() -> ByteBuffer? {
        let available = min(Self.pieceSize, kept.readableBytes)
        guard available > 0 else { return nil }
        guard bodyLength > 0 else {
            let length = kept.withUnsafeReadableBytes { blankLine.length(in: .init(rebasing: $0.prefix(available))) }
            return kept.readSlice(length: length)
        }
        let length = min(available, bodyLength)
        bodyLength -= length
        return kept.readSlice(length: length)
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

/// Finds the blank line that ends the headers of a request or a chunked body (RFC 9112 §2.1, §7.1), across pieces.
///
/// It finds line ends without CR, too, so it finds at least the ends that a decoder finds.
struct BlankLine {
    private enum Position {
        case line
        /// Behind a line end.
        case start
        /// Behind a line end and CR.
        case startWithReturn
    }

    private var position = Position.line

    /// Returns how many bytes there are to the end of the first blank line, or all. The next call continues behind them.
    mutating func length(in bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < bytes.count {
            switch (bytes[index], position) {
            case (_, .line):
                // Skips the rest of the line.
                guard let end = Self.lineEnd(in: bytes, from: index) else { return bytes.count }
                (index, position) = (end, .start)
            case (UInt8(ascii: "\n"), _):
                position = .line
                return index + 1
            case (UInt8(ascii: "\r"), .start): position = .startWithReturn
            default: position = .line
            }
            index += 1
        }
        return bytes.count
    }

    /// The system's function compares many bytes at once.
    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
        guard let start = bytes.baseAddress,
            let end = memchr(start + index, CInt(UInt8(ascii: "\n")), bytes.count - index)
        else { return nil }
        return UnsafeRawPointer(end) - start
    }
}
