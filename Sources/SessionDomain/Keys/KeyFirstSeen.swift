internal import Synchronization

/// When this process first saw each key, measured by uptime.
///
/// A key signs when its `activeFrom` has passed *and* it has been published for long enough. The system clock decides the
/// first. Uptime decides the second, so that a system clock that is set forward cannot shorten it.
package final class KeyFirstSeen: Sendable {
    /// Identifies a key within an app.
    struct Name: Hashable, Sendable {
        let keyID: String
        let purpose: StoredSigningKey.Purpose

        init(_ key: StoredSigningKey) {
            keyID = key.keyID
            purpose = key.purpose
        }
    }

    private let policy: KeyRotationPolicy
    private let environment: ServiceEnvironment
    /// The uptime from which each key may sign.
    private let apps = Mutex<[AppID: [Name: Int64]]>([:])

    package init(policy: KeyRotationPolicy, environment: ServiceEnvironment) {
        self.policy = policy
        self.environment = environment
    }

    /// Records the keys that an app has now.
    ///
    /// - Returns: The uptime in milliseconds from which each of them may sign.
    func note(_ keys: [StoredSigningKey], of app: AppID) -> [Name: Int64] {
        let (now, uptime) = (environment.now(), environment.uptime())
        return apps.withLock { apps in
            let known = apps[app]
            var ready: [Name: Int64] = [:]
            for key in keys {
                // Only the system clock knows the age of keys that are older than this process.
                let age = known == nil ? max(0, now.milliseconds - key.createdAt.milliseconds) : 0
                ready[Name(key)] = known?[Name(key)] ?? uptime + max(0, Int64(policy.knownAfter) * 1000 - age)
            }
            apps[app] = ready
            return ready
        }
    }
}
