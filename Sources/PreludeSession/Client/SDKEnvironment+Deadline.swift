public import Foundation

extension SDKEnvironment {
    /// Runs the work, and cancels it when it takes longer than `seconds`.
    ///
    /// - Throws: `PreludeSessionError.timeout`, and the errors of the work.
    @_spi(Service) public func withDeadline<Answer: Sendable>(
        after seconds: TimeInterval, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                // A cancelled timer means that the work is done or cancelled.
                do { try await sleep(seconds) } catch { return nil }
                throw PreludeSessionError.timeout
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let answer = ended { return answer }
            }
            throw PreludeSessionError.timeout
        }
    }

    /// Waits for a task, but at most that many seconds. Then the task goes on.
    func wait(for task: Task<Void, Never>, atMost seconds: TimeInterval) async {
        let (ended, source) = AsyncStream.makeStream(of: Never.self)
        Task {
            await task.value
            source.finish()
        }
        // A wait for the stream ends when it is cancelled, and a wait for a task does not.
        try? await withDeadline(after: seconds) { for await _ in ended {} }
    }
}
