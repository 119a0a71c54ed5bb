import NIOCore

/// Accepts connections on the event loop of the listener, whether or not a task is free to serve them.
///
/// Hummingbird takes accepted connections in a task. If ten wait for it, NIO accepts no more, so behind the tasks of some
/// hundred requests a new connection waited for a second. This handler is next to the socket and asks for more
/// connections while there is room for those that wait. Each has its handlers before any task sees it.
@available(service, *)
final class AcceptHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    private let accepted: AcceptedConnections

    init(_ accepted: AcceptedConnections) { self.accepted = accepted }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if accepted.hasRoom { context.read() }
    }
}
