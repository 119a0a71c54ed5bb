internal import Dispatch
internal import Foundation

/// The service's source of time, randomness and sleeping.
package struct ServiceEnvironment: Sendable {
    /// The time of the system clock.
    package var now: @Sendable () -> Timestamp
    /// Milliseconds since an arbitrary point in the past. Setting the system clock has no effect on them.
    package var uptime: @Sendable () -> Int64
    /// Returns a number of bytes from a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits a number of seconds. Throws when cancelled.
    package var sleep: @Sendable (Int) async throws -> Void

    /// - Parameter uptime: `nil` derives it from `now`, for clocks that never jump.
    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: (@Sendable () -> Int64)? = nil,
        randomBytes: @escaping @Sendable (Int) -> [UInt8], sleep: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime ?? { now().milliseconds }
        self.randomBytes = randomBytes
        self.sleep = sleep
    }

    /// The system's clock and random generator.
    package static let live = ServiceEnvironment(
        now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
        uptime: { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        sleep: { try await Task.sleep(for: .seconds($0)) }
    )
}
