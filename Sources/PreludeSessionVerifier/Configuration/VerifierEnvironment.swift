public import Foundation

/// The clock of a verifier.
public struct VerifierEnvironment: Sendable {
    /// The current time. The verifier uses it for tokens, proofs and key sets.
    public var now: @Sendable () -> Date

    /// Waits for some seconds. The verifier uses it for the timeout of a key fetch.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public var sleep: @Sendable (_ seconds: TimeInterval) async throws -> Void

    /// Creates an environment with your own clock, for tests.
    ///
    /// - Parameters:
    ///   - now: Returns the current time.
    ///   - sleep: Waits for some seconds. Throws: `CancellationError` if the task is cancelled.
    public init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (_ seconds: TimeInterval) async throws -> Void = VerifierEnvironment.live.sleep
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The system's clock.
    public static let live = VerifierEnvironment(
        now: { Date() },
        sleep: { seconds in try await Task.sleep(nanoseconds: UInt64(min(max(seconds, 0), 1e9) * 1e9)) })

    /// Seconds since 1970.
    var seconds: Double { now().timeIntervalSince1970 }
}
