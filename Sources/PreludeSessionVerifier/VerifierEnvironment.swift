public import Foundation

/// What the verifier takes from the world: the time.
public struct VerifierEnvironment: Sendable {
    /// The time by which tokens, proofs and key sets are judged.
    public var now: @Sendable () -> Date

    /// An environment with a clock of your own, for tests.
    public init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// The system's clock.
    public static let live = VerifierEnvironment(now: { Date() })

    /// Seconds since 1970.
    var seconds: Double { now().timeIntervalSince1970 }
}
