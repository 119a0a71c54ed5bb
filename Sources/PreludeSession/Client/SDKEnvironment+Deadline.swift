internal import Foundation

extension SDKEnvironment {
    /// Does the work unless its time is up before; then the work is cancelled.
    ///
    /// - Throws: `PreludeSessionError.timeout`; what the work throws.
    func deadline<Answer: Sendable>(
        after seconds: TimeInterval, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                // Cancelled, with the work or because it is done, the timer has nothing to say.
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
}
