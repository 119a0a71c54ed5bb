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

    /// A fresh device id.
    func newDeviceID() -> String { RandomUUID.make(from: randomBytes(16)) }
}
