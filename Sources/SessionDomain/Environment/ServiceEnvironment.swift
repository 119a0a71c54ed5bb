internal import Foundation

/// Time and randomness, as everything in the service gets them.
package struct ServiceEnvironment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// That many bytes from a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits that many seconds; throws when cancelled.
    package var sleep: @Sendable (Int) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        sleep: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
    }

    /// The machine's clock and generator.
    package static let live = ServiceEnvironment(
        now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        sleep: { try await Task.sleep(for: .seconds($0)) }
    )
}
