internal import SessionDomain

extension Grant {
    static let columns = "id, app_id, user_id, session_id, scope, mode, generation, expires_at"

    init(reading columns: inout ColumnReader) throws {
        self.init(
            id: try columns.next(), appID: try columns.next(), userID: try columns.next(),
            sessionID: try columns.next(), scope: try columns.next(), mode: try columns.next(),
            generation: try columns.next(), expiresAt: try columns.next())
    }

    /// The grants of a user whose session is live, including those of other sessions, ordered by id.
    ///
    /// - Parameter user: An expression for the id of the user.
    static func live(of user: String, at now: String) -> String {
        """
        SELECT \(columns) FROM grants WHERE app_id = $1 AND user_id = \(user) AND EXISTS (
            SELECT 1 FROM sessions
            WHERE sessions.app_id = grants.app_id AND sessions.id = grants.session_id AND \(Session.isLive(at: now)))
        ORDER BY id
        """
    }

    var insertion: Statement {
        Statement(
            "INSERT INTO grants (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [id, appID, userID, sessionID, scope, mode, generation, expiresAt])
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM grants WHERE app_id = $1 AND user_id = $2 AND id = $3", [appID, userID, id], orFail: .stale)
    }
}

/// Deletions of challenges and grants by what they belong to.
enum StepUpDeletion {
    static func of(_ user: User) -> [Statement] {
        both("user_id = $2", [user.appID, user.id])
    }

    static func of(_ session: Session) -> [Statement] {
        both("session_id = $2", [session.appID, session.id])
    }

    static func except(scopes: Set<String>, app: AppID) -> [Statement] {
        both("scope <> ALL ($2::text[])", [app, TextArray(scopes.sorted())])
    }

    private static func both(_ condition: String, _ values: [(any PostgresValue)?]) -> [Statement] {
        ["challenges", "grants"].map { Statement("DELETE FROM \($0) WHERE app_id = $1 AND \(condition)", values) }
    }
}
