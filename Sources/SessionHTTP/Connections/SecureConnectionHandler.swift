package import NIOCore
import SessionDomain

/// The limits of a connection with TLS: its place, the deadline of the handshake, and how a connection of HTTP/2 ends.
///
/// HTTP/1.1 has `ConnectionHandler` instead, which takes the place over after the handshake. In HTTP/2 each request is a
/// channel of its own with a `ConnectionHandler`; the connection is busy while one of them is open. An idle connection
/// gets GOAWAY from another handler. This one closes it if the client does not react.
@available(service, *)
package final class SecureConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = NIOAny

    private enum Phase {
        case handshake, http2
        /// Another handler has the limits.
        case handedOver
    }

    /// Seconds that a client has to close a connection after GOAWAY.
    private static let lingering = 2

    private let environment: ConnectionHandler.Environment
    private var phase = Phase.handshake
    private var place: UInt64?
    private var timer: Scheduled<Void>?
    private var openRequests = 0
    /// Whether the process ends.
    private var isEnding = false
    private var channel: (any Channel)?

    init(_ environment: ConnectionHandler.Environment) { self.environment = environment }

    package func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
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
        channel = nil
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isEnding = true
            switch phase {
            case .handshake: context.close(promise: nil)
            case .http2 where openRequests == 0: close(in: Self.lingering)
            case .http2, .handedOver: break
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The handshake is complete, and the client speaks HTTP/1.1. Its handler takes a place.
    package func handOver() {
        phase = .handedOver
        end()
    }

    /// The handshake is complete, and the client speaks HTTP/2.
    package func completedHandshake() {
        phase = .http2
        becomesIdle()
    }

    package func requestOpened() {
        openRequests += 1
        guard openRequests == 1, let place else { return }
        timer?.cancel()
        environment.connections.becomesBusy(place)
    }

    package func requestClosed() {
        openRequests -= 1
        guard openRequests == 0, let place else { return }
        environment.connections.waits(place)
        becomesIdle()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard place == nil, phase == .handshake else { return }
        let channel = context.channel
        place = environment.connections.open(on: context.eventLoop) { channel.close(promise: nil) }?.id
        guard place != nil else { return context.close(promise: nil) }
        close(in: environment.limits.headerTimeout, logging: .slowHandshake)
    }

    private func end() {
        if let place { environment.connections.closed(place) }
        place = nil
        timer?.cancel()
        timer = nil
    }

    private func becomesIdle() { close(in: (isEnding ? 0 : environment.limits.idleTimeout) + Self.lingering) }

    private func close(in seconds: Int, logging event: ConnectionLimit? = nil) {
        guard let channel else { return }
        timer?.cancel()
        timer = channel.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { [log = environment.log] in
            if let event { log.note(event, on: channel.eventLoop) }
            channel.close(promise: nil)
        }
    }
}
