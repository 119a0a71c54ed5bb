internal import Crypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

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
