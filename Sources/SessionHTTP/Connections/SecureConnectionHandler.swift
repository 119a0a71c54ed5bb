package import NIOCore
import SessionDomain

/// The limits of a connection with TLS: its place, the deadline of the handshake, and its requests in HTTP/2.
///
/// HTTP/1.1 has `ConnectionHandler` instead, which takes the place over after the handshake. In HTTP/2 each request is a
/// channel of its own with a `ConnectionHandler`; the connection is busy while one of them is open.
@available(service, *)
package final class SecureConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = NIOAny

    private let environment: ConnectionHandler.Environment
    private var place: UInt64?
    private var timer: Scheduled<Void>?
    private var openRequests = 0
    private var isBusy = false

    init(_ environment: ConnectionHandler.Environment) { self.environment = environment }

    package func handlerAdded(context: ChannelHandlerContext) {
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

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// The handshake is complete, and the client speaks HTTP/1.1. Its handler takes a place.
    package func handOver() { end() }

    /// The handshake is complete, and the client speaks HTTP/2.
    package func completedHandshake() {
        timer?.cancel()
        timer = nil
    }

    package func requestOpened() {
        openRequests += 1
        update()
    }

    package func requestClosed() {
        openRequests -= 1
        update()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard place == nil else { return }
        let channel = context.channel
        place = environment.connections.open(on: context.eventLoop) { channel.close(promise: nil) }?.id
        guard place != nil else { return context.close(promise: nil) }
        timer = context.eventLoop.scheduleTask(in: .seconds(Int64(environment.limits.headerTimeout))) {
            [log = environment.log] in
            log.note(.slowHandshake, on: channel.eventLoop)
            channel.close(promise: nil)
        }
    }

    private func end() {
        if let place { environment.connections.closed(place) }
        place = nil
        timer?.cancel()
        timer = nil
    }

    private func update() {
        guard let place, (openRequests > 0) != isBusy else { return }
        isBusy = openRequests > 0
        if isBusy {
            environment.connections.becomesBusy(place)
        } else {
            environment.connections.waits(place)
        }
    }
}
