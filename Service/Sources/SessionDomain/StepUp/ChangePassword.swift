/// Changes the password of the caller and consumes the grant that allows it. What was begun under the old password ends.
///
/// Of two calls that race for one grant, the second finds none.
package struct ChangePassword: Intent {
    package let appID: AppID
    package let sessionID: String
    package let passwordHash: String
    package let endsOtherSessions: Bool
    package let now: Timestamp
    package let events: EventFactory
    package let notices: NoticeFactory?

    package init(
        appID: AppID, sessionID: String, passwordHash: String, endsOtherSessions: Bool, now: Timestamp,
        events: EventFactory, notices: NoticeFactory? = nil
    ) {
        self.appID = appID
        self.sessionID = sessionID
        self.passwordHash = passwordHash
        self.endsOtherSessions = endsOtherSessions
        self.now = now
        self.events = events
        self.notices = notices
    }

    package var facts: FactQuery {
        FactQuery(app: appID) {
            $0.session = .id(sessionID)
            $0.user = .ofSession
            $0.grants = now
            $0.liveSessions = endsOtherSessions ? now : nil
        }
    }

    package func decide(_ facts: Facts) -> Decision<ChangePasswordOutcome> {
        guard let session = facts.session, let user = facts.user, session.isLive(at: now), user.status == .active else {
            return Decision(.insufficientScope)
        }
        let consumed = facts.grants.filter { $0.scope == ReservedScope.writePassword && $0.covers(session, at: now) }
        guard !consumed.isEmpty else { return Decision(.insufficientScope) }
        let password = PasswordReplacement(of: user, hash: passwordHash, now: now, events: events)
        let others = SessionRevocation(reason: .passwordChanged, now: now, events: events)
            .changes(facts.liveSessions, .allBut(session.id))
        let notice = notices?.changes(.passwordChanged, to: user, facts, at: now) ?? []
        return Decision(.changed, consumed.map { .deleteGrant($0) } + password.changes + others + notice)
    }
}

package enum ChangePasswordOutcome: Sendable, Equatable {
    case changed
    case insufficientScope
}
