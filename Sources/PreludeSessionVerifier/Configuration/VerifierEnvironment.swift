public import Foundation

/// What the verifier takes from the world: the time.
public struct VerifierEnvironment: Sendable {
    /// The time by which tokens, proofs and key sets are judged.
    public var now: @Sendable () -> Date

    /// Waits for some seconds: ends a fetch of keys that takes too long.
    ///
    /// - Throws: `CancellationError`, when the task is cancelled before.
    public var sleep: @Sendable (_ seconds: TimeInterval) async throws -> Void

    /// An environment with a clock of your own, for tests.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - sleep: Waits for some seconds. Throws: `CancellationError`, when the task is cancelled before.
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
