internal import GRDB
package import SessionDomain
internal import SessionTokens

/// Changes that decide whether a user gets in; what they end ends in the same transaction.
extension SQLiteStore {
    package func setStatus(
        _ status: User.Status, user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> User? {
        try await write { db in
            guard var user = try db.user(id, app: app) else { return nil }
            if user.status != status {
                user.status = status
                user.updatedAt = now
                try db.run(
                    "UPDATE users SET status = ?, updated_at = ? WHERE app_id = ? AND id = ?", [status, now, app, id])
                try db.append([
                    events.make(.userStatusChanged, ["user_id": .string(id), "status": .string(status.rawValue)])
                ])
            }
            if status != .active {
                _ = try db.revokeSessions(of: id, app: app, .all, reason: .userInactive, now: now, events: events)
                try db.deleteVerifications(of: user.identifiers, app: app)
                try db.endStepUps(of: id, app: app)
                try db.voidLogins(of: id, app: app, now: now)
            }
            return user
        }
    }

    package func setPassword(
        hash: String, user id: String, app: AppID, endingSessions: Bool, now: Timestamp, events: EventFactory
    ) async throws -> User? {
        try await write { db in
            guard var user = try db.user(id, app: app) else { return nil }
            user.hasPassword = true
            user.updatedAt = now
            try db.setPassword(hash: hash, of: user, now: now, events: events)
            if endingSessions {
                _ = try db.revokeSessions(of: id, app: app, .all, reason: .passwordChanged, now: now, events: events)
            }
            return user
        }
    }

    package func upgradePasswordHash(from old: String, to new: String, user id: String, app: AppID) async throws {
        try await write { db in
            _ = try db.run(
                "UPDATE users SET password_hash = ? WHERE app_id = ? AND id = ? AND password_hash = ?",
                [new, app, id, old])
        }
    }
}
