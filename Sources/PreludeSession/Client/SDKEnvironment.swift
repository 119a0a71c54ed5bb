internal import Crypto
public import Foundation
internal import SessionTokens

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

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

extension SDKEnvironment {
    /// Runs the work, and cancels it when it takes longer than `seconds`.
    ///
    /// - Throws: `PreludeSessionError.timeout`, and the errors of the work.
    @_spi(Service) public func withDeadline<Answer: Sendable>(
        after seconds: TimeInterval, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                // A cancelled timer means that the work is done or cancelled.
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

    /// Waits for a task, but at most that many seconds. Then the task goes on.
    func wait(for task: Task<Void, Never>, atMost seconds: TimeInterval) async {
        let (ended, source) = AsyncStream.makeStream(of: Never.self)
        Task {
            await task.value
            source.finish()
        }
        // A wait for the stream ends when it is cancelled, and a wait for a task does not.
        try? await withDeadline(after: seconds) { for await _ in ended {} }
    }
}

/// The system's cryptographically secure generator.
enum SystemRandom {
    /// The most bytes that Linux returns with one call (getentropy(3)).
    private static let maximumOfOneCall = 256

    /// Returns that many random bytes.
    ///
    /// On Linux, `SymmetricKey` calls the system for each eight bytes. With each proof, one call does.
    @Sendable
    static func bytes(_ count: Int) -> [UInt8] {
        #if canImport(Glibc) || canImport(Musl)
            var bytes = [UInt8](repeating: 0, count: count)
            if (1...maximumOfOneCall).contains(count),
                bytes.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) == 0
            {
                return bytes
            }
        #endif
        return SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes(Array.init)
    }
}
