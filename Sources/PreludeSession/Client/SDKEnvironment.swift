public import Foundation
internal import SessionTokens

/// Time and randomness for the whole SDK.
@_spi(Service) public struct SDKEnvironment: Sendable {
    /// Now, by the device's clock, which may be wrong.
    @_spi(Service) public var now: @Sendable () -> Date
    /// Returns that many bytes of a cryptographically secure generator.
    @_spi(Service) public var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits that many seconds. Throws `CancellationError` when its task is cancelled.
    @_spi(Service) public var sleep: @Sendable (TimeInterval) async throws -> Void

    /// - Parameter sleep: By default a wait ends only when its task is cancelled.
    @_spi(Service) public init(
        now: @escaping @Sendable () -> Date, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = SDKEnvironment.untilCancelled
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
    }

    /// The device's clock and generator.
    @_spi(Service) public static let live = SDKEnvironment(
        now: { Date() },
        randomBytes: SystemRandom.bytes,
        sleep: { seconds in
            // `Duration` is not available on iOS 15.
            try await Task.sleep(nanoseconds: UInt64(min(max(seconds, 0), 1e9) * 1e9))
        })

    /// Waits until its task is cancelled.
    @_spi(Service) public static let untilCancelled: @Sendable (TimeInterval) async throws -> Void = { _ in
        let (nothing, source) = AsyncStream.makeStream(of: Never.self)
        // A cancelled task ends the loop. Until then the source must stay alive.
        for await _ in nothing {}
        source.finish()
        throw CancellationError()
    }

    /// A new id of a login or a rotation: 128 random bits.
    func newAttemptID() -> String { Base64URL.encode(randomBytes(DPoPProofChecker.attemptLength)) }

    /// A new device id.
    func newDeviceID() -> String { RandomUUID.make(from: randomBytes(16)) }
}
