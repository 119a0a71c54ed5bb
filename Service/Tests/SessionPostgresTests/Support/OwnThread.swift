internal import Foundation

/// Runs work that waits for transactions of other tests, on a thread of its own. On the few threads that all tests share,
/// it would keep those tests from ending their transactions.
func onOwnThread<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
