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
