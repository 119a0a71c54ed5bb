/// An app's keys of one purpose: which of them signs at a given time, and the state of each.
package struct KeySchedule: Sendable {
    package enum State: String, Sendable {
        /// Published, but does not sign yet: nodes and verifiers must fetch it first.
        case pending
        /// Signs now.
        case active
        /// Only verifies what it has signed.
        case retired
    }

    /// Latest `activeFrom` first. All of them are published: only a housekeeping round removes a key, never the clock alone.
    package let keys: [StoredSigningKey]

    package init(_ keys: [StoredSigningKey], purpose: StoredSigningKey.Purpose) {
        self.keys = keys.filter { $0.purpose == purpose }.inOrder
    }

    /// Returns the key that signs: the latest one whose `activeFrom` has passed. If none has passed, the earliest one signs.
    ///
    /// - Parameter isKnown: Whether a key has been published for long enough, independent of the system clock.
    package func signing(
        at now: Timestamp, isKnown: (StoredSigningKey) -> Bool = { _ in true }
    ) -> StoredSigningKey? {
        let active = keys.filter { $0.activeFrom <= now }
        // If none has been published for long enough, most verifiers know the oldest one.
        return active.first(where: isKnown) ?? active.last ?? keys.last
    }

    package func state(of key: StoredSigningKey, at now: Timestamp) -> State {
        if key.keyID == signing(at: now)?.keyID { return .active }
        return key.activeFrom > now ? .pending : .retired
    }

    /// The range around `now` in which `signing` and `state` do not change.
    func span(around now: Timestamp) -> Range<Timestamp> {
        let moments = keys.map(\.activeFrom)
        let from = moments.filter { $0 <= now }.max() ?? Timestamp(milliseconds: .min)
        return from..<(moments.filter { $0 > now }.min() ?? Timestamp(milliseconds: .max))
    }
}

extension [StoredSigningKey] {
    /// Latest `activeFrom` first. Of two equal ones, the one that was stored later comes first.
    var inOrder: [StoredSigningKey] {
        enumerated().sorted { ($1.element.activeFrom, $0.offset) < ($0.element.activeFrom, $1.offset) }.map(\.element)
    }
}
