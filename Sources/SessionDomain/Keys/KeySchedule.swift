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

    /// The last to sign first. All of them are published: a key goes when a round removes it, and not by a clock alone.
    package let keys: [StoredSigningKey]

    package init(_ keys: [StoredSigningKey], purpose: StoredSigningKey.Purpose) {
        self.keys = keys.filter { $0.purpose == purpose }.inOrder
    }

    /// The key that signs: the last one whose time has come. A clock before all of them takes the first.
    ///
    /// - Parameter isKnown: Whether a key has been published for long enough, whatever the clock says.
    package func signing(
        at now: Timestamp, isKnown: (StoredSigningKey) -> Bool = { _ in true }
    ) -> StoredSigningKey? {
        let active = keys.filter { $0.activeFrom <= now }
        // Where none is known for long enough, the oldest is the one that most know.
        return active.first(where: isKnown) ?? active.last ?? keys.last
    }

    package func state(of key: StoredSigningKey, at now: Timestamp) -> State {
        if key.keyID == signing(at: now)?.keyID { return .active }
        return key.activeFrom > now ? .pending : .retired
    }

    /// The moments around this one between which nothing above changes.
    func span(around now: Timestamp) -> Range<Timestamp> {
        let moments = keys.map(\.activeFrom)
        let from = moments.filter { $0 <= now }.max() ?? Timestamp(milliseconds: .min)
        return from..<(moments.filter { $0 > now }.min() ?? Timestamp(milliseconds: .max))
    }
}

extension [StoredSigningKey] {
    /// The last to sign first; of two with one moment, the one that was written last.
    var inOrder: [StoredSigningKey] {
        enumerated().sorted { ($1.element.activeFrom, $0.offset) < ($0.element.activeFrom, $1.offset) }.map(\.element)
    }
}
