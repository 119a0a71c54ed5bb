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

    /// Returns random bytes from the system, which gives up to 256 of them in one call.
    private static func systemRandomBytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            while initialized < count {
                let size = min(count - initialized, 256)
                // It has no other failures than a wrong size and a kernel without the call.
                precondition(getentropy(bytes.baseAddress! + initialized, size) == 0, "the system has no random bytes")
                initialized += size
            }
        }
    }
}

/// An identifier of 26 characters that sorts by time: 48 bits of milliseconds, then 80 random bits, in Crockford base32.
package enum ULID {
    /// Returns a ULID in lower case, as user ids on the wire are.
    package static func make(at time: Timestamp, randomBytes: [UInt8]) -> String {
        precondition(randomBytes.count == 10, "a ULID takes 80 random bits")
        let clock = UInt64(clamping: time.milliseconds)
        return text(of: (0..<6).map { UInt8(truncatingIfNeeded: clock >> UInt64(40 - 8 * $0)) } + randomBytes)
    }

    /// Returns 16 bytes as 26 characters.
    static func text(of bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(26)
        // 26 digits of 5 bits hold 130 bits: two zero bits precede the 128.
        var buffer: UInt32 = 0
        var bits = 2
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                output.append(alphabet[Int(buffer >> UInt32(bits) & 0x1F)])
                buffer &= (1 << UInt32(bits)) - 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}

extension ServiceEnvironment {
    /// Returns a new identifier such as `usr_01h…`. Ids are never reused and never derived from what a caller chooses.
    package func newID(_ prefix: String) -> String {
        prefix + "_" + ULID.make(at: now(), randomBytes: randomBytes(10))
    }
}
