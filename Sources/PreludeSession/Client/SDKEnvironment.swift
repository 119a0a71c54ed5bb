internal import Crypto
package import Foundation
internal import SessionTokens

/// Time and randomness, as everything in the SDK gets them.
public struct SDKEnvironment: Sendable {
    /// The device's clock, right or wrong.
    package var now: @Sendable () -> Date
    /// That many bytes from a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]

    package init(now: @escaping @Sendable () -> Date, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// The device's clock and generator.
    public static let live = SDKEnvironment(
        now: { Date() },
        randomBytes: { count in SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes(Array.init) })

    /// A fresh `jti`: 128 random bits.
    func newProofID() -> String { Base64URL.encode(randomBytes(16)) }

    /// A random UUID (RFC 9562 §5.4) in lower case.
    func newDeviceID() -> String {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }
            .joined(separator: "-")
    }
}
