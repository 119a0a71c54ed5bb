internal import Dispatch
internal import Foundation

/// Time and randomness, as everything in the service gets them.
package struct ServiceEnvironment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// Milliseconds since some moment of the past that only grow: setting the clock does not move them.
    package var uptime: @Sendable () -> Int64
    /// That many bytes from a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits that many seconds; throws when cancelled.
    package var sleep: @Sendable (Int) async throws -> Void

    /// - Parameter uptime: `nil` for clocks that never jump.
    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: (@Sendable () -> Int64)? = nil,
        randomBytes: @escaping @Sendable (Int) -> [UInt8], sleep: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime ?? { now().milliseconds }
        self.randomBytes = randomBytes
        self.sleep = sleep
    }

    /// The machine's clock and generator.
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
