internal import GRDB
package import SessionDomain

extension Grant {
    static let columns = "id, app_id, user_id, session_id, scope, mode, generation, expires_at"

    init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), appID: try columns.next(), userID: try columns.next(),
            sessionID: try columns.next(), scope: try columns.next(), mode: try columns.next(),
            generation: try columns.next(), expiresAt: try columns.next())
    }
}

extension Database {
    func insert(_ grant: Grant) throws {
        try run(
            "INSERT INTO grants (\(Grant.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                grant.id, grant.appID, grant.userID, grant.sessionID, grant.scope, grant.mode, grant.generation,
                grant.expiresAt,
            ])
    }

    /// The grants of a user whose session is live, including those of other sessions, ordered by id.
    func grants(of userID: String, app: AppID, liveAt now: Timestamp) throws -> [Grant] {
        try all(Self.liveGrants, [app, userID, now, now], as: Grant.init(reading:))
    }

    /// Without the name of the index, SQLite would read all grants of the app in the order of their ids.
    private static let liveGrants = """
        SELECT \(Grant.columns) FROM grants INDEXED BY grants_by_user WHERE app_id = ? AND user_id = ? AND EXISTS (
            SELECT 1 FROM sessions
            WHERE sessions.app_id = grants.app_id AND sessions.id = grants.session_id AND \(isLive))
        ORDER BY id
        """

    func delete(_ grant: Grant) throws {
        try run("DELETE FROM grants WHERE app_id = ? AND id = ?", [grant.appID, grant.id], orFail: .stale)
    }

    func deleteStepUps(of user: User) throws {
        try run("DELETE FROM challenges WHERE app_id = ? AND user_id = ?", [user.appID, user.id])
        try run("DELETE FROM grants WHERE app_id = ? AND user_id = ?", [user.appID, user.id])
    }

    func deleteStepUps(of session: Session) throws {
        try run("DELETE FROM challenges WHERE app_id = ? AND session_id = ?", [session.appID, session.id])
        try run("DELETE FROM grants WHERE app_id = ? AND session_id = ?", [session.appID, session.id])
    }

    func deleteStepUps(except scopes: Set<String>, app: AppID) throws {
        for table in ["challenges", "grants"] {
            let used = try all("SELECT DISTINCT scope FROM \(table) WHERE app_id = ?", [app]) { columns -> String in
                try columns.next()
            }
            for scope in used where !scopes.contains(scope) {
                try run("DELETE FROM \(table) WHERE app_id = ? AND scope = ?", [app, scope])
            }
        }
    }
}

extension SQLiteStore: StepUpStore {
    package func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant] {
        try await read { db in try db.grants(of: userID, app: app, liveAt: now) }
    }

    package func grantedUsers(
        of scope: String, app: AppID, at now: Timestamp, among bound: Int
    ) async throws -> CountedUsers {
        try await read { db in
            try db.first(
                """
                SELECT count(DISTINCT CASE WHEN scope = ? AND expires_at > ? THEN user_id END), count(*)
                FROM (SELECT user_id, scope, expires_at FROM grants WHERE app_id = ? ORDER BY user_id, id LIMIT ?)
                """, [scope, now, app, bound],
                as: { CountedUsers(count: try $0.next(), read: try $0.next(), of: bound) })
                ?? CountedUsers(count: 0, read: 0, of: bound)
        }
    }
}
