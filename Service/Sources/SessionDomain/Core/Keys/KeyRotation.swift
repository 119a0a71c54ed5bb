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

/// The changes to the keys of one purpose.
package struct KeyRotationDecision: Sendable, Equatable {
    /// The algorithm of the candidate that is needed. If set, there are no other changes: decide again with a candidate.
    package var neededAlgorithm: KeyAlgorithm?
    package var added: StoredSigningKey?
    /// Keys with changed times: a successor has set their end, or the times of a wrong clock were corrected.
    package var changed: [StoredSigningKey] = []
    /// The ids of keys whose creation time was in the future.
    package var rescheduled: [String] = []
    package var removed: [StoredSigningKey] = []

    package init(
        neededAlgorithm: KeyAlgorithm? = nil, added: StoredSigningKey? = nil, changed: [StoredSigningKey] = [],
        rescheduled: [String] = [], removed: [StoredSigningKey] = []
    ) {
        self.neededAlgorithm = neededAlgorithm
        self.added = added
        self.changed = changed
        self.rescheduled = rescheduled
        self.removed = removed
    }

    /// Whether nothing changes: the successor is published already.
    package var isEmpty: Bool { self == KeyRotationDecision() }
}

/// Runs a key rotation. Returns `nil` for an unknown app. Nothing is written if a key is needed that was not supplied.
package struct RotateSigningKeys: Intent {
    package let rotation: KeyRotation

    package init(_ rotation: KeyRotation) { self.rotation = rotation }

    package struct Facts: Sendable {
        let settings: App?
        let signingKeys: [StoredSigningKey]
    }

    package var reads: Read<Facts> {
        Read(app: rotation.appID, .settings(), .signingKeys(rotation.purpose), as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<KeyRotationDecision?> {
        guard let app = facts.settings else { return Decision(nil) }
        let decision = rotation.decide(facts.signingKeys, app: app)
        let changed = decision.changed.compactMap { key in
            facts.signingKeys.first { $0.keyID == key.keyID }.map { Change.replaceSigningKey($0, with: key) }
        }
        let removed = decision.removed.map { Change.deleteSigningKey($0) }
        let added = decision.added.map { [Change.insertSigningKey($0)] } ?? []
        return Decision(decision, changed + removed + added + rotation.events(of: decision).map { .append($0) })
    }
}

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

/// When keys are replaced, and how long they are published before and after they sign.
///
/// A new key is published before it signs, for as long as a node or verifier may still use an older key set:
///
///     publishAhead = directory lifetime + max-age of the set + verifier's interval + clock leeway
///                  =         5          +        300         +       30         +      60       = 395 seconds
///
/// An old key stays published after it stops signing, for as long as anything that it signed is valid, plus the time by
/// which others may be behind: `longestLife + publishAhead`.
package struct KeyRotationPolicy: Sendable, Equatable {
    /// Longest `max-age` of a key set in seconds (RFC 9111 §5.2.2.1).
    package static let longestKeySetAge = 300
    /// Seconds that a verifier may wait before it fetches a key set again.
    package static let verifierInterval = 30
    /// Seconds by which the clocks of nodes and verifiers may differ.
    package static let clockLeeway = 60
    /// The smallest `publishAhead` with which no verification fails.
    package static let safePublishAhead =
        AppDirectory.lifetime + longestKeySetAge + verifierInterval + clockLeeway
    /// Seconds within which a backend must check the signature of a hook or webhook.
    package static let hookSignatureLife = 3600
    package static let standardInterval = 90 * 86_400

    /// Seconds that a key signs before it gets a successor. `nil`: only on request.
    package var interval: Int?
    /// Seconds that a key is published before it signs.
    package var publishAhead: Int

    /// - Parameter publishAhead: A value below `safePublishAhead` is for development only. It also shortens `keySetMaxAge`.
    package init(interval: Int? = standardInterval, publishAhead: Int = safePublishAhead) {
        self.interval = interval
        self.publishAhead = publishAhead
    }

    /// `max-age` of a key set in seconds, limited by `publishAhead`.
    package var keySetMaxAge: Int { max(0, min(Self.longestKeySetAge, publishAhead - AppDirectory.lifetime)) }

    /// Seconds after a key was first seen until every node and verifier must have it. Measured by uptime, so clock changes
    /// have no effect and no clock leeway is needed.
    package var propagationTime: Int {
        min(publishAhead, AppDirectory.lifetime + keySetMaxAge + Self.verifierInterval)
    }

    /// Seconds that a key stays published after it stopped signing.
    package func retention(of purpose: StoredSigningKey.Purpose) -> Int {
        purpose.longestLife + max(publishAhead, Self.safePublishAhead)
    }
}

extension StoredSigningKey.Purpose {
    /// The longest validity in seconds of anything that a key of this purpose signs, under any configuration.
    var longestLife: Int {
        switch self {
        case .access: SessionPolicy.longestAccessTokenLifetime
        case .challenge:
            max(StepUpStep.maximumDuration, StepUpChallenge.redemptionTime, ChallengeClaims.lifetime)
        case .hook: KeyRotationPolicy.hookSignatureLife
        }
    }
}
