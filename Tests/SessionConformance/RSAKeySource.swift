public import SessionRSA
internal import Synchronization

/// Replaces RSA key generation of a service in tests: returns each fixed key once, then generates keys.
public final class RSAKeySource: Sendable {
    private let used = Mutex(0)

    public init() {}

    public func next() throws -> RSASigningKey {
        let index = used.withLock { used in
            defer { used += 1 }
            return used
        }
        return index < FixedRSAKeys.count ? try FixedRSAKeys.key(index) : try RSASigningKey.generate()
    }
}
