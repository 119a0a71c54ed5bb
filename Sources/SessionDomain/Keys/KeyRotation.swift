internal import SessionTokens

/// Gives the keys of one purpose what is due: a successor, an end. One transaction decides, so of many who ask at once
/// one makes a key.
package struct KeyRotation: Sendable {
    package enum Reason: Sendable, CaseIterable {
        /// Something is about to sign that has no key yet.
        case first
        /// The housekeeper's round: age, another algorithm, keys that nobody needs any more.
        case schedule
        /// Somebody wants a successor now; it signs when it is known everywhere.
        case request
        /// A key has leaked: all keys go at once, and what they signed with them.
        case emergency
    }

    /// Successors that may wait for their turn.
    static let maximumPending = 2
    /// Keys of a purpose beyond which none is made by age: where clocks contradict each other, each may find one due.
    static let maximumByAge = 8
    /// Keys of a purpose beyond which none is made but in an emergency: each is published to everybody.
    static let maximum = 32

    package let appID: AppID
    package let purpose: StoredSigningKey.Purpose
    package let reason: Reason
    package let policy: KeyRotationPolicy
    /// The new key, if one was made: that takes too long for a transaction.
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

    /// What is to be done to these keys of the app, of this purpose.
    package func decide(_ keys: [StoredSigningKey], app: App) -> KeyRotationDecision {
        let stored = keys.inOrder
        let times = KeyTimes(of: stored, purpose: purpose, policy: policy, now: now)
        let wanted = purpose.algorithm(of: app)
        guard needsKey(after: times.kept, algorithm: wanted) else {
            return KeyRotationDecision(
                changed: times.kept.filter { !stored.contains($0) }, mistaken: times.mistaken, removed: times.over)
        }
        guard var key = candidate, key.algorithm == wanted else { return KeyRotationDecision(wanted: wanted) }
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
            added: key, changed: kept.filter { !stored.contains($0) }, mistaken: times.mistaken, removed: times.over)
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

    /// What is told of a decision.
    package func events(of decision: KeyRotationDecision) -> [Event] {
        var told = decision.removed.map { events.signingKeyRemoved($0) }
        if let key = decision.added, reason != .first {
            told.append(events.signingKeyRotated(key, isEmergency: reason == .emergency))
        }
        return told
    }
}

/// What becomes of the keys of one purpose.
package struct KeyRotationDecision: Sendable, Equatable {
    /// A key of this algorithm has to be brought; until then nothing is done.
    package var wanted: KeyAlgorithm?
    package var added: StoredSigningKey?
    /// Keys whose times changed: they got their end, or times that a wrong clock had given them were put right.
    package var changed: [StoredSigningKey] = []
    /// The ids of those that were made in the future.
    package var mistaken: [String] = []
    package var removed: [StoredSigningKey] = []

    package init(
        wanted: KeyAlgorithm? = nil, added: StoredSigningKey? = nil, changed: [StoredSigningKey] = [],
        mistaken: [String] = [], removed: [StoredSigningKey] = []
    ) {
        self.wanted = wanted
        self.added = added
        self.changed = changed
        self.mistaken = mistaken
        self.removed = removed
    }

    var isNothing: Bool { self == KeyRotationDecision() }
}

extension EventFactory {
    fileprivate func signingKeyRotated(_ key: StoredSigningKey, isEmergency: Bool) -> Event {
        make(
            .signingKeyRotated,
            [
                "key_id": .string(key.keyID), "purpose": .string(key.purpose.rawValue),
                "algorithm": .string(key.algorithm.rawValue), "active_from": .string(key.activeFrom.rfc3339),
                "emergency": .bool(isEmergency),
            ])
    }

    fileprivate func signingKeyRemoved(_ key: StoredSigningKey) -> Event {
        make(.signingKeyRemoved, ["key_id": .string(key.keyID), "purpose": .string(key.purpose.rawValue)])
    }
}
