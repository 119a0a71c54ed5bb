package import HummingbirdCore
package import Logging
package import NIOCore

/// A connection whose tasks run on its event loop.
@available(service, *)
package struct EventLoopChannel<Connection: ServerChildChannel>: ServerChildChannel {
    let connection: Connection
    let executors: EventLoopExecutors

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection.Value> {
        connection.setup(channel: channel, logger: logger)
    }

    package func handle(value: Connection.Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.executor(of: value.channel.eventLoop)) {
            await connection.handle(value: value, logger: logger)
        }
    }
}
