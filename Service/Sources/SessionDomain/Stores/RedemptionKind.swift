/// What a redemption stands for, and so what it costs to forget it. It follows from the key.
package enum RedemptionKind: String, Sendable, CaseIterable {
    /// The id of a challenge token that has started a session.
    case loginChallenge = "login"
    /// The id of a token of the operator's backend that has completed a step.
    case customStep = "step"
    /// An event that was written once. If it is forgotten, the event is written a second time; nothing is accepted twice.
    case report

    package init(key: String) {
        guard let slash = key.firstIndex(of: "/") else {
            self = .loginChallenge
            return
        }
        self = key[..<slash] == Self.customStep.rawValue ? .customStep : .report
    }

    /// Whether housekeeping must remember what it has deleted, so that it is not accepted again.
    package var outlivesItsRow: Bool { self != .report }
}
