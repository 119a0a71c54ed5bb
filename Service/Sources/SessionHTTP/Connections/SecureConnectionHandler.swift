package import NIOCore
import SessionDomain

/// The limits of a connection with TLS: its slot, the deadlines of the handshake and the preface, and how a connection of
/// HTTP/2 ends.
///
/// HTTP/1.1 has `ConnectionHandler` instead, which takes the slot over after the handshake. In HTTP/2 each request is a
/// channel of its own with a `ConnectionHandler`. The connection is busy while one of them is complete and has no
/// response. An idle connection gets GOAWAY from another handler. This one closes it if the client does not react.
package final class SecureConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    private enum Phase {
        /// The TLS handshake, and the preface of HTTP/2.
        case begin
        case http2
        /// The client broke a rule. All that it still sends is discarded, before it is decrypted.
        case discarding
        /// Another handler has the limits.
        case handedOver
    }

    /// Seconds that a client has to close a connection after GOAWAY.
    private static let lingering = 2
    /// Seconds that requests have from the end of the process to their response.
    package static let drainTime = 10

    private let environment: ConnectionHandler.Environment
    private var phase = Phase.begin
    private var slot: (id: UInt64, kind: ConnectionSlots.Kind)?
    private var timer: Scheduled<Void>?
    private var drainTimer: Scheduled<Void>?
    private var openRequests = 0
    private var busyRequests = 0
    private var inputIsClosed = false
    /// When the end of the process was announced.
    private var endingSince: NIODeadline?
    private var context: ChannelHandlerContext?

    init(_ environment: ConnectionHandler.Environment) { self.environment = environment }

    /// Whether only health checks are answered, because all slots are taken.
    package var isReserved: Bool { slot?.kind == .reserved }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if phase != .discarding { context.fireChannelRead(data) }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent { inputClosed(context) }
        if event is ChannelShouldQuiesceEvent { announceEnd(context) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Protocol

    /// The handshake is complete, and the client speaks HTTP/1.1. Its handler takes a slot.
    package func handOver() {
        phase = .handedOver
        end()
    }

    /// The client has sent the preface of HTTP/2 (RFC 9113 §3.4).
    package func receivedPreface() {
        guard phase == .begin else { return }
        phase = .http2
        if openRequests == 0 { becomesIdle() }
    }

    /// The client broke a rule or limit of HTTP/2, and GOAWAY is written.
    package func sentError() {
        guard phase != .discarding, let context else { return }
        phase = .discarding
        environment.log.note(.brokenHTTP2, on: context.eventLoop)
        close(in: Self.lingering)
    }

    // MARK: Requests

    /// Returns `false` if the client must have seen that the process ends. Then the request must be refused.
    package func requestOpened() -> Bool {
        openRequests += 1
        if openRequests == 1, phase == .http2 { timer?.cancel() }
        guard let endingSince, let context else { return true }
        return context.eventLoop.now < endingSince + .seconds(Int64(Self.lingering))
    }

    package func requestClosed() {
        openRequests -= 1
        if openRequests == 0, phase == .http2 { becomesIdle() }
    }

    /// The service has a complete request, and the client reads responses. No new connection takes its slot.
    package func requestBecomesBusy() {
        busyRequests += 1
        if busyRequests == 1, let slot { environment.connections.becomesBusy(slot.id) }
    }

    /// The client has to send or to read something, or the request has ended.
    package func requestWaits() {
        busyRequests -= 1
        guard busyRequests == 0 else { return }
        if let slot { environment.connections.waits(slot.id) }
        if inputIsClosed { close(in: Self.lingering) }
    }

    // MARK: End

    private func begin(_ context: ChannelHandlerContext) {
        guard slot == nil, phase == .begin else { return }
        let (bound, eventLoop) = (NIOLoopBound(context, eventLoop: context.eventLoop), context.eventLoop)
        slot = environment.connections.open(on: eventLoop) {
            eventLoop.execute { bound.value.close(promise: nil) }
        }
        guard slot != nil else { return context.close(promise: nil) }
        close(in: environment.limits.headerTimeout, logging: .slowHandshake)
    }

    private func end() {
        if let slot { environment.connections.closed(slot.id) }
        slot = nil
        timer?.cancel()
        drainTimer?.cancel()
        (timer, drainTimer) = (nil, nil)
    }

    private func announceEnd(_ context: ChannelHandlerContext) {
        guard endingSince == nil else { return }
        endingSince = context.eventLoop.now
        switch phase {
        case .begin: context.close(promise: nil)
        case .http2:
            if openRequests == 0 { close(in: Self.lingering) }
            drainTimer = scheduleClose(in: Self.drainTime, context)
        case .discarding, .handedOver: break
        }
    }

    /// Most clients end like this, without an alert of TLS or GOAWAY. One that has only closed its side may still read the
    /// responses to complete requests.
    private func inputClosed(_ context: ChannelHandlerContext) {
        inputIsClosed = true
        switch phase {
        case .begin, .discarding: context.close(promise: nil)
        case .http2: if busyRequests == 0 { close(in: Self.lingering) }
        case .handedOver: break
        }
    }

    private func becomesIdle() {
        let isLast = endingSince != nil || inputIsClosed
        close(in: (isLast ? 0 : environment.limits.idleTimeout) + Self.lingering)
    }

    private func close(in seconds: Int, logging event: ConnectionLimit? = nil) {
        guard let context else { return }
        timer?.cancel()
        timer = scheduleClose(in: seconds, context, logging: event)
    }

    /// Closes without an alert of TLS, which would wait for a client that does not read.
    private func scheduleClose(
        in seconds: Int, _ context: ChannelHandlerContext, logging event: ConnectionLimit? = nil
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { [log = environment.log] in
            if let event { log.note(event, on: bound.eventLoop) }
            bound.value.close(promise: nil)
        }
    }
}
