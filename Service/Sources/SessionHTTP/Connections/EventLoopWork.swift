import NIOCore
import NIOPosix

/// Runs work of the background on an event loop of the process, as tasks of connections do.
///
/// An outgoing message waits about thirty times: for the database, its connection and its timers. On Swift's own threads,
/// each wait costs two changes of the thread. The work must not block for longer than a slice of `EventLoopExecutor`.
package enum EventLoopWork {
    /// Runs the work, and the child tasks that it starts, on one event loop.
    package static func run(_ work: @Sendable () async -> Void) async {
        await withTaskExecutorPreference(EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())) {
            await work()
        }
    }

    /// Waits a number of seconds with a timer of the event loop. Throws when cancelled.
    ///
    /// That of a task leaves its timer behind when it is cancelled, and the timer wakes two threads when it ends. Each message
    /// cancels one of 45 seconds.
    package static func sleep(seconds: Int) async throws {
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(Int64(max(seconds, 0)))) {}
        try await withTaskCancellationHandler {
            do {
                try await timer.futureResult.get()
            } catch {
                // A timer fails only when it is cancelled.
                throw CancellationError()
            }
        } onCancel: {
            timer.cancel()
        }
    }
}
