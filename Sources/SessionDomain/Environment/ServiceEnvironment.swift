internal import Dispatch
internal import Foundation
package import SessionRSA

/// The service's source of time, randomness, RSA keys and sleeping, and the observer of what happens.
package struct ServiceEnvironment: Sendable {
    /// The time of the system clock.
    package var now: @Sendable () -> Timestamp
    /// Milliseconds since an arbitrary point in the past. Setting the system clock has no effect on them.
    package var uptime: @Sendable () -> Int64
    /// Returns a number of bytes from a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Generates an RSA key. It takes some tenths of a second.
    package var generateRSAKey: @Sendable () throws -> RSASigningKey
    /// Waits a number of seconds. Throws when cancelled.
    package var sleep: @Sendable (Int) async throws -> Void
    /// Receives what happens, for logs, metrics and traces.
    package var observer: any ServiceObserver = NoObserver()

    /// - Parameter uptime: `nil` derives it from `now`, for clocks that never jump.
    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: (@Sendable () -> Int64)? = nil,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        generateRSAKey: @escaping @Sendable () throws -> RSASigningKey = RSASigningKey.generate,
        sleep: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime ?? { now().milliseconds }
        self.randomBytes = randomBytes
        self.generateRSAKey = generateRSAKey
        self.sleep = sleep
    }

    /// The system's clock and random generator.
    package static let live = ServiceEnvironment(
        now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
        uptime: { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) },
        randomBytes: systemRandomBytes,
        // `Duration` is not available on iOS 15.
        sleep: { try await Task.sleep(nanoseconds: UInt64(max($0, 0)) * 1_000_000_000) }
    )

    /// Returns random bytes from the system. Reads 8 bytes per system call, because one call per byte is slower.
    private static func systemRandomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            let word: UInt64 = generator.next()
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
