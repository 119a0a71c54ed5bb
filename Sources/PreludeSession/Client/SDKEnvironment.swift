internal import Crypto
package import Foundation
internal import SessionTokens

/// Time and randomness, as everything in the SDK gets them.
public struct SDKEnvironment: Sendable {
    /// The device's clock, right or wrong.
    package var now: @Sendable () -> Date
    /// That many bytes from a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits that many seconds; throws `CancellationError` when its task is cancelled first.
    package var sleep: @Sendable (TimeInterval) async throws -> Void

    /// - Parameter sleep: Without one time stands still: no wait is ever over, only cancelled.
    package init(
        now: @escaping @Sendable () -> Date, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = SDKEnvironment.untilCancelled
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
    }

    /// The device's clock and generator.
    public static let live = SDKEnvironment(
        now: { Date() },
        randomBytes: { count in SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes(Array.init) },
        sleep: { seconds in
            // In whole nanoseconds; the type that says so in words is not on every system we run on.
            try await Task.sleep(nanoseconds: UInt64(min(max(seconds, 0), 1e9) * 1e9))
        })

    /// The wait of a clock that stands still.
    package static let untilCancelled: @Sendable (TimeInterval) async throws -> Void = { _ in
        let (nothing, source) = AsyncStream.makeStream(of: Never.self)
        // Cancelling the task ends the loop; until then the source must live.
        for await _ in nothing {}
        source.finish()
        throw CancellationError()
    }

    /// A fresh `jti`: 128 random bits.
    func newProofID() -> String { Base64URL.encode(randomBytes(16)) }

    /// A fresh device id.
    func newDeviceID() -> String { RandomUUID.make(from: randomBytes(16)) }
}
