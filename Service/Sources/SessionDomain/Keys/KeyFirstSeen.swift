/// When this process first saw each key of an app, measured by uptime.
///
/// A key signs when its `activeFrom` has passed *and* it has been published for long enough. The system clock decides the
/// first. Uptime decides the second, so that a system clock that is set forward cannot shorten it.
struct KeyFirstSeen: Sendable {
    /// The uptime in milliseconds from which each key may sign.
    private let readyAt: [StoredSigningKey.Identity: Int64]

    /// - Parameters:
    ///   - keys: All stored keys of the app.
    ///   - previous: The times of the keys that this process has loaded before. `nil` on the first load.
    ///   - uptime: Uptime in milliseconds.
    init(
        _ keys: [StoredSigningKey], previous: KeyFirstSeen?, policy: KeyRotationPolicy, now: Timestamp, uptime: Int64
    ) {
        var readyAt: [StoredSigningKey.Identity: Int64] = [:]
        for key in keys {
            // Only the system clock knows the age of keys that are older than this process.
            let age = previous == nil ? max(0, now.milliseconds - key.createdAt.milliseconds) : 0
            readyAt[key.identity] =
                previous?.readyAt[key.identity] ?? uptime + max(0, Int64(policy.propagationTime) * 1000 - age)
        }
        self.readyAt = readyAt
    }

    /// Whether every node and verifier must have the key at this uptime.
    func isReady(_ key: StoredSigningKey, at uptime: Int64) -> Bool {
        uptime >= readyAt[key.identity] ?? .min
    }

    /// The next uptime at which a key becomes ready; `Int64.max` if all are.
    func nextReady(after uptime: Int64) -> Int64 {
        readyAt.values.filter { $0 > uptime }.min() ?? .max
    }
}
