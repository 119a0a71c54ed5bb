import NIOCore

/// A connection whose place a newer one takes.
///
/// It waits for its client, as far as the service knows. But a busy event loop may not have looked at a new connection yet:
/// its request can be there. Closing it then would reset the connection without an answer. So it gets the time of one
/// look, as a connection of the reserve does: a health check is answered, another request is asked to come again.
extension ConnectionHandler {
    /// The time of one look at the socket, and of reading the answer.
    private static let grace = TimeAmount.milliseconds(100)

    /// In which a client can read the last response. Closing at once would discard it if input is unread.
    var lingering: TimeAmount { isDisplaced ? Self.grace : .seconds(2) }

    /// Closes the connection when another one needs its place. Can be called on any thread.
    func displacement(_ context: ChannelHandlerContext) -> @Sendable () -> Void {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        return {
            eventLoop.execute {
                let (handler, context) = bound.value
                handler.leavePlace(context)
            }
        }
    }

    private func leavePlace(_ context: ChannelHandlerContext) {
        guard place != nil, !hasReceivedBytes, environment.connections.displace() else {
            return context.close(promise: nil)
        }
        isDisplaced = true
        place?.kind = .reserved
        deadline = context.eventLoop.now + Self.grace
        schedule(context)
    }
}
