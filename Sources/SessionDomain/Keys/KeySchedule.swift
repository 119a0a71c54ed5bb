/// Which of an app's keys of one purpose count at a moment.
package struct KeySchedule: Sendable {
    package enum State: String, Sendable {
        /// Published, so that it is known everywhere when it begins to sign.
        case pending
        /// Signs now.
        case active
        /// Verifies what it has signed.
        case retired
    }

    /// The last to sign first.
    package let keys: [StoredSigningKey]

    package init(_ keys: [StoredSigningKey], purpose: StoredSigningKey.Purpose) {
        self.keys = keys.filter { $0.purpose == purpose }.inOrder
    }

    /// The key that signs: the last one whose time has come. A clock before all of them takes the first.
    package func signing(at now: Timestamp) -> StoredSigningKey? {
        keys.first { $0.activeFrom <= now } ?? keys.last
    }

    /// The keys that everybody may know.
    package func published(at now: Timestamp) -> [StoredSigningKey] {
        keys.filter { $0.isPublished(at: now) }
    }

    package func state(of key: StoredSigningKey, at now: Timestamp) -> State {
        if key.keyID == signing(at: now)?.keyID { return .active }
        return key.activeFrom > now ? .pending : .retired
    }

    /// The moments around this one between which nothing above changes.
    func span(around now: Timestamp) -> Range<Timestamp> {
        let moments = keys.flatMap { [$0.activeFrom] + ($0.removeAfter.map { [$0] } ?? []) }
        let from = moments.filter { $0 <= now }.max() ?? Timestamp(milliseconds: .min)
        return from..<(moments.filter { $0 > now }.min() ?? Timestamp(milliseconds: .max))
    }
}

extension StoredSigningKey {
    func isPublished(at now: Timestamp) -> Bool { removeAfter.map { now < $0 } ?? true }
}

extension [StoredSigningKey] {
    /// The last to sign first; of two with one moment, the one that was written last.
    var inOrder: [StoredSigningKey] {
        enumerated().sorted { ($1.element.activeFrom, $0.offset) < ($0.element.activeFrom, $1.offset) }.map(\.element)
    }
}
