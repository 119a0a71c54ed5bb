internal import GRDB
package import SessionDomain
internal import SessionTokens

extension SQLiteStore {
    package func changePassword(_ intent: ChangePassword) async throws -> ChangePasswordOutcome {
        try await write { db in
            guard let (session, user) = try db.signedIn(session: intent.sessionID, app: intent.appID) else {
                return .insufficientScope
            }
            let grants = try db.grants(of: user.id, app: intent.appID)
            guard !intent.grantsToConsume(grants, session: session, user: user).isEmpty else {
                return .insufficientScope
            }
            try db.setPassword(hash: intent.passwordHash, of: user, now: intent.now, events: intent.events)
            if intent.endsOtherSessions {
                _ = try db.revokeSessions(
                    of: user.id, app: intent.appID, .allBut(session.id), reason: .passwordChanged, now: intent.now,
                    events: intent.events)
            }
            return .changed
        }
    }
}

extension Database {
    /// Stores a password hash; all that was begun under the old one ends: codes, challenges, grants.
    func setPassword(hash: String, of user: User, now: Timestamp, events: EventFactory) throws {
        try run(
            "UPDATE users SET password_hash = ?, updated_at = ? WHERE app_id = ? AND id = ?",
            [hash, now, user.appID, user.id])
        try deleteVerifications(of: user.identifiers, app: user.appID)
        try endStepUps(of: user.id, app: user.appID)
        try voidLogins(of: user.id, app: user.appID, now: now)
        try append([events.make(.passwordChanged, ["user_id": .string(user.id)])])
    }
}
