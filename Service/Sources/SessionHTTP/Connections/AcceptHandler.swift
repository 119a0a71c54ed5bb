package import HummingbirdCore
package import Logging
package import NIOCore
import SessionDomain
import Synchronization

/// Accepts connections on the event loop of the listener, whether or not a task is free to serve them.
///
/// Hummingbird takes accepted connections in a task. If ten wait for it, NIO accepts no more, so behind the tasks of some
/// hundred requests a new connection waited for a second. This handler is next to the socket and asks for more
/// connections while there is room for those that wait. Each has its handlers before any task sees it.
///
/// A busy event loop looks at a socket only when it has looked at all others. With four connections for each look, as NIO
/// has it, clients that keep an event loop busy kept others from connecting. So a look accepts one connection for each
/// millisecond since the last one. To accept all at once would not help them: they would wait for a task, or get 503.
///
/// The system may not be able to open a connection, usually because the process has no free file descriptor. NIO then goes
/// on reading without a pause, which takes all the time of an event loop. So this handler pauses the listener.
final class AcceptHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    /// Connections wait in the queue of the system meanwhile.
    static let pause = TimeAmount.milliseconds(100)
    /// How many connections one look at the socket accepts.
    static let perLook: ClosedRange<Int64> = 4...256

    private let accepted: AcceptedConnections
    private let log: LimitLog
    private var isPausing = false
    private var lastLook: NIODeadline?

    init(_ accepted: AcceptedConnections, log: LimitLog) {
        self.accepted = accepted
        self.log = log
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        followPace(of: context.channel)
        context.fireChannelReadComplete()
        if !isPausing, accepted.hasRoom { context.read() }
    }

    func read(context: ChannelHandlerContext) {
        if !isPausing { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError, !isPausing {
            log.note(.notAccepted, on: context.eventLoop)
            pause(context)
        }
        context.fireErrorCaught(error)
    }

    /// The next look will take about as long as this one did.
    private func followPace(of channel: any Channel) {
        // Network.framework has no such option.
        #if !canImport(Network)
            let now = channel.eventLoop.now
            let waited = (now - (lastLook ?? now)).nanoseconds / 1_000_000
            lastLook = now
            let count = min(max(waited, Self.perLook.lowerBound), Self.perLook.upperBound)
            try? channel.syncOptions?.setOption(.maxMessagesPerRead, value: UInt(count))
        #endif
    }

    /// Without automatic reads, NIO does not wait for the socket. Their return is a read.
    private func pause(_ context: ChannelHandlerContext) {
        isPausing = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        _ = context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = bound.value
            handler.isPausing = false
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

/// Connections that are accepted, and that no task serves yet.
///
/// Under load they wait long for a task, and some are closed meanwhile. So their number has a bound of its own.
final class AcceptedConnections: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    /// - Parameter limit: The most connections that wait for a task.
    init(limit: Int) { self.limit = limit }

    /// Whether further connections may be accepted before a task is free.
    var hasRoom: Bool { count.load(ordering: .relaxed) < limit }

    func accepted() { count.add(1, ordering: .relaxed) }

    /// A task serves the connection, or it has failed before.
    func left() { count.subtract(1, ordering: .relaxed) }
}

/// A connection that is counted until a task serves it.
package struct AcceptedChannel<Connection: ServerChildChannel>: ServerChildChannel {
    let connection: Connection
    let accepted: AcceptedConnections

    /// Adds the handlers of the connection, on its event loop. They answer health checks from now on.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection.Value> {
        accepted.accepted()
        let value = connection.setup(channel: channel, logger: logger)
        value.whenFailure { [accepted] _ in accepted.left() }
        return value
    }

    package func handle(value: Connection.Value, logger: Logger) async {
        accepted.left()
        await connection.handle(value: value, logger: logger)
    }
}
