internal import NIOCore
internal import NIOPosix
internal import SessionDomain

/// A time limit for work, on the machine's monotonic clock.
package enum Deadline {
    /// Longer limits are shortened to one hour.
    private static let maximumSeconds = 3600

    static func after(seconds: Int) -> NIODeadline {
        .now() + .seconds(Int64(min(max(seconds, 0), maximumSeconds)))
    }

    /// Runs the work and cancels it after a number of seconds.
    ///
    /// - Throws: `EgressError.timedOut` when the time is over, or the error of the work.
    package static func run<Answer: Sendable>(
        seconds: Int, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await run(until: after(seconds: seconds), on: MultiThreadedEventLoopGroup.singleton.next(), work)
    }

    /// Runs the work and cancels it at the deadline.
    ///
    /// - Throws: `EgressError.timedOut` at the deadline, or the error of the work.
    static func run<Answer: Sendable>(
        until deadline: NIODeadline, on eventLoop: any EventLoop,
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await wait(until: deadline, on: eventLoop)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else { throw EgressError.timedOut }
            return answer
        }
    }

    private static func wait(until deadline: NIODeadline, on eventLoop: any EventLoop) async throws {
        let timer = eventLoop.scheduleTask(deadline: deadline) {}
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
