internal import Synchronization

/// How long this process has known each key, by a clock that nobody can set.
///
/// A key signs when its time has come *and* it has been published for long enough. The clock says the first; that it
/// was set forward meanwhile does not make the second true.
package final class KeyFirstSeen: Sendable {
    /// A key of an app.
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

    /// Notes the keys that an app has now.
    ///
    /// - Returns: The uptime, in milliseconds, from which each of them may sign.
    func note(_ keys: [StoredSigningKey], of app: AppID) -> [Name: Int64] {
        let (now, uptime) = (environment.now(), environment.uptime())
        return apps.withLock { apps in
            let known = apps[app]
            var ready: [Name: Int64] = [:]
            for key in keys {
                // Of keys that were there before this process, only the clock can say for how long.
                let age = known == nil ? max(0, now.milliseconds - key.createdAt.milliseconds) : 0
                ready[Name(key)] = known?[Name(key)] ?? uptime + max(0, Int64(policy.knownAfter) * 1000 - age)
            }
            apps[app] = ready
            return ready
        }
    }
}
