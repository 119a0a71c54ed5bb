/// What an operator may do in the console. A later case may do everything that an earlier one may.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    /// Looks at pages.
    case viewer
    /// Also changes users and sessions, sets limits of a user back, and sends events to webhooks again.
    case support
    /// Everything.
    case admin

    package static func < (left: OperatorRole, right: OperatorRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .admin: 2
        }
    }
}
