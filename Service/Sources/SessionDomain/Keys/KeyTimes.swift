/// Corrects the times of keys that a wrong clock has written, and finds the keys that can be removed.
///
/// A clock that jumps ahead can skip a waiting time, and times written during the jump are in the future afterwards:
///
/// - A key whose creation time is in the future waits again, from now. It is published already, and so are the keys that
///   sign in the meantime. So no verifier rejects a signature.
/// - A key is removed after two waiting times, each as long as anything that it signed can be valid. The second one begins
///   when a round finds the first one over. So one jump can skip only one of them.
struct KeyTimes {
    /// The keys to keep, latest `activeFrom` first, with corrected times.
    private(set) var kept: [StoredSigningKey]
    /// The keys to remove.
    private(set) var removable: [StoredSigningKey] = []
    /// The ids of keys whose creation time was in the future, and of those that wait behind them.
    private(set) var rescheduled: [String] = []
    private let policy: KeyRotationPolicy
    private let retention: Int
    private let now: Timestamp

    /// - Parameter stored: The keys of this purpose, latest `activeFrom` first.
    init(
        of stored: [StoredSigningKey], purpose: StoredSigningKey.Purpose, policy: KeyRotationPolicy, now: Timestamp
    ) {
        kept = stored
        self.policy = policy
        retention = policy.retention(of: purpose)
        self.now = now
        correctBeginnings()
        correctEnds()
        let signing = kept.first { $0.activeFrom <= now } ?? kept.last
        removable = kept.filter { $0.keyID != signing?.keyID && hasWaitedTwice($0) }
        kept.removeAll(where: removable.contains)
    }

    private func isFuture(_ time: Timestamp) -> Bool { time > now + KeyRotationPolicy.clockLeeway }

    private mutating func correctBeginnings() {
        for index in kept.indices.reversed() where kept[index].activeFrom > now {
            // The times of a key behind such a key were derived from it, so they are wrong, too.
            guard isFuture(kept[index].createdAt) || !rescheduled.isEmpty else { continue }
            rescheduled.append(kept[index].keyID)
            let wrongStart = kept[index].activeFrom
            kept[index].createdAt = min(kept[index].createdAt, now)
            // Without an older key, this one already signs.
            kept[index].activeFrom =
                index + 1 < kept.count ? max(now + policy.publishAhead, kept[index + 1].activeFrom + 1) : now
            for older in kept.indices where kept[older].retiresAt == wrongStart {
                kept[older].retiresAt = kept[index].activeFrom
                kept[older].removeAfter = kept[index].activeFrom + retention
            }
        }
    }

    private mutating func correctEnds() {
        for index in kept.indices {
            guard let retiresAt = kept[index].retiresAt, let end = kept[index].removeAfter, retiresAt <= now else {
                continue
            }
            let isFirstWaitOver = end <= now && !hasWaitedTwice(kept[index])
            if isFirstWaitOver || isFuture(end - retention) { kept[index].removeAfter = now + retention }
        }
    }

    /// Whether both waiting times are over.
    private func hasWaitedTwice(_ key: StoredSigningKey) -> Bool {
        guard let retiresAt = key.retiresAt, let end = key.removeAfter else { return false }
        return end <= now && retiresAt + 2 * retention <= end
    }
}
