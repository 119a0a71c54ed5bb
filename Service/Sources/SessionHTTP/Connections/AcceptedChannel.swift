package import HummingbirdCore
package import Logging
package import NIOCore

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
