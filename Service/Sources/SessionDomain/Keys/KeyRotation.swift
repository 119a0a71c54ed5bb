internal import SessionTokens

/// Rotates the keys of one purpose: decides which key to add, which times to change and which keys to remove.
///
/// The store decides and writes in one transaction, so that concurrent rotations add only one key.
package struct KeyRotation: Sendable {
    package enum Reason: String, Sendable, CaseIterable {
        /// A caller needs a signature, and no key exists yet.
        case first
        /// The housekeeping round: age, a changed algorithm, keys that are no longer needed.
        case schedule
        /// An operator requests a successor. It signs after it has been published everywhere.
        case request
        /// A key has leaked: all keys are removed at once, and everything they signed becomes invalid.
        case emergency
    }

    /// The maximum number of successors that do not sign yet.
    static let maximumPending = 2
    /// With this many keys of a purpose, age adds no further one: nodes whose clocks differ may each find one due.
    static let maximumByAge = 8
    /// With this many keys of a purpose, only an emergency adds one: every key is published to all verifiers.
    static let maximum = 32

    package let appID: AppID
    package let purpose: StoredSigningKey.Purpose
    package let reason: Reason
    package let policy: KeyRotationPolicy
    /// The key to add. The caller generates it before the transaction, because that takes too long inside.
    package var candidate: StoredSigningKey?
    package let now: Timestamp
    package let events: EventFactory

    package init(
        appID: AppID, purpose: StoredSigningKey.Purpose, reason: Reason, policy: KeyRotationPolicy,
        candidate: StoredSigningKey? = nil, now: Timestamp, events: EventFactory
    ) {
        self.appID = appID
        self.purpose = purpose
        self.reason = reason
        self.policy = policy
        self.candidate = candidate
        self.now = now
        self.events = events
    }

    /// Decides what to do with the app's keys of this purpose.
    package func decide(_ keys: [StoredSigningKey], app: App) -> KeyRotationDecision {
        let stored = keys.inOrder
        let times = KeyTimes(of: stored, purpose: purpose, policy: policy, now: now)
        let algorithm = purpose.algorithm(of: app)
        guard needsKey(after: times.kept, algorithm: algorithm) else {
            return KeyRotationDecision(
                changed: times.kept.filter { !stored.contains($0) }, rescheduled: times.rescheduled,
                removed: times.removable)
        }
        guard var key = candidate, key.algorithm == algorithm else {
            return KeyRotationDecision(neededAlgorithm: algorithm)
        }
        key.createdAt = now
        guard let newest = times.kept.first, reason != .emergency else {
            key.activeFrom = now
            return KeyRotationDecision(added: key, removed: stored)
        }
        key.activeFrom = max(now + policy.publishAhead, newest.activeFrom + 1)
        let kept = times.kept.map { old in
            guard old.retiresAt == nil else { return old }
            var old = old
            old.retiresAt = key.activeFrom
            old.removeAfter = key.activeFrom + policy.retention(of: purpose)
            return old
        }
        return KeyRotationDecision(
            added: key, changed: kept.filter { !stored.contains($0) }, rescheduled: times.rescheduled,
            removed: times.removable)
    }

    private func needsKey(after keys: [StoredSigningKey], algorithm: KeyAlgorithm) -> Bool {
        guard let newest = keys.first else { return purpose != .hook || reason == .first }
        if reason == .emergency { return true }
        if reason == .first || keys.count >= Self.maximum { return false }
        let pending = keys.filter { $0.activeFrom > now }.count
        if newest.algorithm != algorithm { return pending < Self.maximumPending }
        guard pending == 0 else { return false }
        if reason == .request { return true }
        guard let interval = policy.interval, keys.count < Self.maximumByAge else { return false }
        return newest.activeFrom + interval <= now
    }

    /// The events of a decision.
    package func events(of decision: KeyRotationDecision) -> [Event] {
        var result = decision.removed.map { events.signingKeyRemoved($0) }
        if let key = decision.added, reason != .first {
            result.append(events.signingKeyRotated(key, reason: reason))
        }
        return result
    }
}

extension EventFactory {
    fileprivate func signingKeyRotated(_ key: StoredSigningKey, reason: KeyRotation.Reason) -> Event {
        make(
            .signingKeyRotated,
            [
                "key_id": .string(key.keyID), "purpose": .string(key.purpose.rawValue),
                "algorithm": .string(key.algorithm.rawValue), "active_from": .string(key.activeFrom.rfc3339),
                "emergency": .bool(reason == .emergency), "reason": .string(reason.rawValue),
            ])
    }

    fileprivate func signingKeyRemoved(_ key: StoredSigningKey) -> Event {
        make(.signingKeyRemoved, ["key_id": .string(key.keyID), "purpose": .string(key.purpose.rawValue)])
    }
}
