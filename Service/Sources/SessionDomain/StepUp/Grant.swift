/// A scope that was granted in addition to those of the login.
package struct Grant: Sendable, Equatable {
    /// `grt_` and a ULID.
    package let id: String
    package let appID: AppID
    package let userID: String
    /// The session that completed the step-up.
    package let sessionID: String
    package let scope: String
    package let mode: GrantMode
    /// The generation of the session whose access token carries a single-use grant.
    package let generation: Int64
    package let expiresAt: Timestamp

    package init(
        id: String, appID: AppID, userID: String, sessionID: String, scope: String, mode: GrantMode,
        generation: Int64, expiresAt: Timestamp
    ) {
        self.id = id
        self.appID = appID
        self.userID = userID
        self.sessionID = sessionID
        self.scope = scope
        self.mode = mode
        self.generation = generation
        self.expiresAt = expiresAt
    }

    /// Whether the session's access tokens carry the scope at this time.
    package func covers(_ session: Session, at now: Timestamp) -> Bool {
        guard appID == session.appID, userID == session.userID, expiresAt > now else {
            return false
        }
        switch mode {
        case .singleUse: return sessionID == session.id && generation == session.generation
        case .sessionBound: return sessionID == session.id
        case .profileBound: return true
        }
    }

    /// Whether the grant can be deleted, because it never covers a token again.
    package func isSpent(for session: Session, at now: Timestamp) -> Bool {
        if expiresAt <= now { return true }
        return mode == .singleUse && sessionID == session.id && generation < session.generation
    }
}
