internal import NIOCore
internal import SessionDomain

/// Work that must be over at a point in time, on the machine's monotonic clock.
enum Deadline {
    /// Longer waits are cut to this, an hour.
    private static let maximumSeconds = 3600

    static func after(seconds: Int) -> NIODeadline {
        .now() + .seconds(Int64(min(max(seconds, 0), maximumSeconds)))
    }

    /// Cancels the work when the time has come; work that heeds cancellation ends then.
    ///
    /// - Throws: `EgressError.timedOut`, or what the work throws.
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
                // Nothing else than its cancellation makes a timer fail.
                throw CancellationError()
            }
        } onCancel: {
            timer.cancel()
        }
    }
}
