internal import GRDB
package import SessionDomain
package import SessionTokens

extension SQLiteStore: UserStore {
    package func createUser(
        _ user: User, passwordHash: String?, events: [Event]
    ) async throws -> CreateUserOutcome {
        try await writeOrUndo { db in
            let outcome = try db.insert(user, passwordHash: passwordHash)
            guard outcome == .created else { return .undo(outcome) }
            try db.append(events)
            return .keep(.created)
        }
    }

    package func user(_ id: String, app: AppID) async throws -> User? {
        try await read { db in try db.user(id, app: app) }
    }

    package func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User? {
        try await read { db in try db.user(with: identifier, app: app) }
    }

    package func user(externalID: String, app: AppID) async throws -> User? {
        try await read { db in try db.user(externalID: externalID, app: app) }
    }

    package func users(app: AppID, limit: Int, offset: Int) async throws -> (users: [User], total: Int) {
        try await read { db in
            let users = try db.all(
                """
                SELECT \(User.columns) FROM users WHERE app_id = ?
                ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?
                """, [app, limit, offset], as: User.init(reading:))
            return (
                try users.map(db.withIdentifiers),
                try db.count("SELECT count(*) FROM users WHERE app_id = ?", [app])
            )
        }
    }

    package func deleteUser(_ id: String, app: AppID, events: [Event]) async throws -> Bool {
        try await write { db in
            guard let user = try db.user(id, app: app) else { return false }
            try db.deleteVerifications(of: user.identifiers, app: app)
            // Identifiers and sessions go with their user: the foreign keys cascade.
            try db.run("DELETE FROM users WHERE app_id = ? AND id = ?", [app, id])
            try db.append(events)
            return true
        }
    }

    package func setExternalID(
        _ externalID: String?, user id: String, app: AppID, now: Timestamp
    ) async throws -> UpdateUserOutcome {
        try await update(id, app: app, now: now) { db, user in
            if let externalID, let owner = try db.user(externalID: externalID, app: app), owner.id != id {
                return .taken
            }
            user.externalID = externalID
            return nil
        }
    }

    package func mergeProfile(
        _ changes: [String: JSONValue], user id: String, app: AppID, now: Timestamp, events: EventFactory
    ) async throws -> UpdateUserOutcome {
        try await update(id, app: app, now: now) { db, user in
            for (key, value) in changes { user.profile[key] = value == .null ? nil : value }
            guard user.profile.count <= User.maximumProfileKeys else { return .full }
            try db.append([events.make(.profileUpdated, ["user_id": .string(id)])])
            return nil
        }
    }

    /// Reads, changes and writes the fields of one user; the closure answers why not, if it cannot be.
    private func update(
        _ id: String, app: AppID, now: Timestamp,
        _ change: @escaping @Sendable (Database, inout User) throws -> UpdateUserOutcome?
    ) async throws -> UpdateUserOutcome {
        try await write { db in
            guard var user = try db.user(id, app: app) else { return .notFound }
            if let refused = try change(db, &user) { return refused }
            user.updatedAt = now
            try db.run(
                "UPDATE users SET external_id = ?, profile = ?, updated_at = ? WHERE app_id = ? AND id = ?",
                [user.externalID, try StoredJSON.text(user.profile), now, app, id])
            return .updated(user)
        }
    }
}
