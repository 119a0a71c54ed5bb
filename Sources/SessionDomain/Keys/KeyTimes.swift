/// The keys of one purpose with times that can be true: what a wrong clock wrote is put right, and nothing ends before its
/// end was seen.
///
/// A clock that jumps can skip a wait, and what was written meanwhile lies in the future when it is right again. So:
///
/// - A key that was made in the future waits anew from now. It has been published already, and so have those that sign
///   until then: nobody refuses either.
/// - A key goes after two waits, each as long as anything that it signed can be good. The second one begins when a round
///   sees the first one over, so that one jump skips one of them at most.
struct KeyTimes {
    /// The last to sign first.
    private(set) var kept: [StoredSigningKey]
    /// Keys that nobody needs any more.
    private(set) var over: [StoredSigningKey] = []
    /// The ids of keys that were made in the future.
    private(set) var mistaken: [String] = []
    private let policy: KeyRotationPolicy
    private let retention: Int
    private let now: Timestamp

    /// - Parameter stored: In order.
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
        over = kept.filter { $0.keyID != signing?.keyID && isOver($0) }
        kept.removeAll(where: over.contains)
    }

    private func isFuture(_ time: Timestamp) -> Bool { time > now + KeyRotationPolicy.clockLeeway }

    private mutating func correctBeginnings() {
        for index in kept.indices.reversed() where kept[index].activeFrom > now {
            // What waits behind a mistaken key got its time from it.
            guard isFuture(kept[index].createdAt) || !mistaken.isEmpty else { continue }
            mistaken.append(kept[index].keyID)
            let before = kept[index].activeFrom
            kept[index].createdAt = min(kept[index].createdAt, now)
            // Without another one it signs already, before its time.
            kept[index].activeFrom =
                index + 1 < kept.count ? max(now + policy.publishAhead, kept[index + 1].activeFrom + 1) : now
            for older in kept.indices where kept[older].retiresAt == before {
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
            let isFirstWaitOver = end <= now && !isOver(kept[index])
            if isFirstWaitOver || isFuture(end - retention) { kept[index].removeAfter = now + retention }
        }
    }

    /// Whether both waits are.
    private func isOver(_ key: StoredSigningKey) -> Bool {
        guard let retiresAt = key.retiresAt, let end = key.removeAfter else { return false }
        return end <= now && retiresAt + 2 * retention <= end
    }
}
