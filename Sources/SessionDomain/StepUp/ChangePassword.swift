/// The intent to change the password of the caller, under a grant that is consumed by it. A store performs it in one
/// transaction:
///
/// 1. read the session with its user and its user's grants, and ask `grantsToConsume`; `.insufficientScope` if empty;
/// 2. store the hash, and delete all grants and open challenges of the user and all running verifications of the
///    user's identifiers: what was begun under the old password ends with it;
/// 3. revoke the user's other sessions if `endsOtherSessions`, and append the events.
///
/// Of two that race on one grant, the second finds none.
package struct ChangePassword: Sendable {
    package let appID: AppID
    package let sessionID: String
    package let passwordHash: String
    package let endsOtherSessions: Bool
    package let now: Timestamp
    package let events: EventFactory

    package init(
        appID: AppID, sessionID: String, passwordHash: String, endsOtherSessions: Bool, now: Timestamp,
        events: EventFactory
    ) {
        self.appID = appID
        self.sessionID = sessionID
        self.passwordHash = passwordHash
        self.endsOtherSessions = endsOtherSessions
        self.now = now
        self.events = events
    }

    package func grantsToConsume(_ grants: [Grant], session: Session, user: User) -> [Grant] {
        guard session.isLive(at: now), user.status == .active else { return [] }
        return grants.filter { $0.scope == ReservedScope.writePassword && $0.covers(session, at: now) }
    }
}

package enum ChangePasswordOutcome: Sendable, Equatable {
    case changed
    case insufficientScope
}
