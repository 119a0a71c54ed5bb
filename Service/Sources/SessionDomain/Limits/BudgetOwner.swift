/// Who pays for a call at a code, a password or a message. Owners never share a counter, so a stranger who spends one
/// budget leaves the others as they are.
package enum BudgetOwner: Hashable, Sendable {
    /// A caller that is not known. All of them together have one budget for each identifier.
    case anonymous(CanonicalIdentifier)
    /// A device on which the owner of the identifier has signed in before.
    case device(id: String, userID: String)
    /// The devices of a user that a later change has ended, such as signing out all others. All of them together have one
    /// budget of the size that strangers have: the owner's device can still sign in while strangers have spent theirs, and
    /// a stolen device gets no more attempts than one stranger.
    case formerDevices(userID: String)
    /// A signed-in session.
    case session(id: String, userID: String)

    /// The name of the owner in the keys of counters.
    var text: String {
        switch self {
        case .anonymous(let identifier): identifier.key
        case .device(let id, let userID): "device/\(userID)/\(id)"
        case .formerDevices(let userID): "former-devices/\(userID)"
        case .session(let id, let userID): "session/\(userID)/\(id)"
        }
    }

    /// All devices, or all sessions, of the same user. They have a total, so that a user who owns many of them has no
    /// more attempts.
    var group: String? {
        switch self {
        case .anonymous, .formerDevices: nil
        case .device(_, let userID): "devices/\(userID)"
        case .session(_, let userID): "sessions/\(userID)"
        }
    }

    /// Who pays for a step: the session, and for an identifier that the step adds also the strangers' budget of it, because
    /// many accounts could ask for codes to one number.
    static func owners(of challenge: StepUpChallenge, user: User?) -> [BudgetOwner] {
        let session = BudgetOwner.session(id: challenge.sessionID, userID: challenge.userID)
        guard let added = challenge.identifierOfStep, user?.identifiers.contains(added) != true else {
            return [session]
        }
        return [session, .anonymous(added)]
    }

    var isAnonymous: Bool { if case .anonymous = self { true } else { false } }
}

extension BudgetOwner {
    /// The counters that a success clears.
    ///
    /// Strangers have proven the identifier whose failures are counted, so all of these end. The hour and day of a device or
    /// a session cover all identifiers of the user: a success with one must not give more attempts at another, so only the
    /// streak ends, and so it is for the former devices of a user. A success on a known device also ends the streak of
    /// strangers, but not their hour and day: an owner who signs in often must not give a stranger more attempts.
    package func clearedBySuccess(of identifier: CanonicalIdentifier) -> [CounterKey] {
        let streak = CounterKey.failures(self, .streak)
        switch self {
        case .anonymous: return [.failures(self, .hour), .failures(self, .day), streak]
        case .device: return [streak, .failures(.anonymous(identifier), .streak)]
        case .session, .formerDevices: return [streak]
        }
    }

    /// The changes of a success, after its attempt was counted. A success is not a failure: where it clears nothing, it takes
    /// its own count back.
    ///
    /// - Parameters:
    ///   - counters: What the attempt counted for this payer.
    ///   - clearsFailures: `false` for an identifier that is held or new: it says nothing about the failures of its user.
    package func success(
        of identifier: CanonicalIdentifier, counted counters: [FactQuery.CounterSelector], clearsFailures: Bool,
        app: AppID
    ) -> [Change] {
        let cleared = clearsFailures ? clearedBySuccess(of: identifier) : []
        return cleared.map { .clearCounter($0, app: app) }
            + counters.map(\.key).filter { !cleared.contains($0) }.map { .uncount($0, app: app) }
    }
}
