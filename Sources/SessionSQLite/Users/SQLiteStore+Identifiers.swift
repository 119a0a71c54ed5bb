internal import GRDB
package import SessionDomain

extension SQLiteStore {
    package func addIdentifier(
        _ identifier: CanonicalIdentifier, user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> UpdateUserOutcome {
        try await write { db in
            guard let user = try db.user(id, app: app) else { return .notFound }
            guard user.identifiers.count < User.maximumIdentifiers || user.identifiers.contains(identifier) else {
                return .full
            }
            guard try db.insert(identifier, of: id, app: app) else {
                // Adding what one has already changes nothing.
                return user.identifiers.contains(identifier) ? .updated(user) : .taken
            }
            return try db.touch(user, now: now, event: events.identifierCreated(identifier, of: id))
        }
    }

    package func removeIdentifier(
        _ identifier: CanonicalIdentifier, user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> UpdateUserOutcome {
        try await write { db in
            guard let user = try db.user(id, app: app) else { return .notFound }
            guard try db.delete(identifier, of: id, app: app) else { return .updated(user) }
            try db.deleteVerifications(of: [identifier], app: app)
            try db.endStepUps(of: id, app: app)
            try db.voidLogins(of: id, app: app, now: now)
            return try db.touch(user, now: now, event: events.identifierDeleted(identifier, of: id))
        }
    }
}

extension Database {
    /// Notes the time of a change of identifiers, appends its event, and reads the user again.
    fileprivate func touch(_ user: User, now: Timestamp, event: Event) throws -> UpdateUserOutcome {
        try run("UPDATE users SET updated_at = ? WHERE app_id = ? AND id = ?", [now, user.appID, user.id])
        try append([event])
        var user = try withIdentifiers(user)
        user.updatedAt = now
        return .updated(user)
    }
}
