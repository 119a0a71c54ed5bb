package import SessionDomain

extension PostgresStore: StepUpStore {
    package func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant] {
        try await read([Statement(Grant.live(of: "$2", at: "$3"), [app, userID, now])]) {
            try $0[0].all(Grant.init(reading:))
        }
    }

    package func grantedUsers(
        of scope: String, app: AppID, at now: Timestamp, among bound: Int
    ) async throws -> CountedUsers {
        let count = Statement(
            """
            SELECT count(DISTINCT CASE WHEN scope = $1 AND expires_at > $2 THEN user_id END), count(*)
            FROM (
                SELECT user_id, scope, expires_at FROM grants WHERE app_id = $3 ORDER BY user_id, id LIMIT $4) AS part
            """, [scope, now, app, bound])
        return try await read([count]) { rows in
            try rows[0].first { CountedUsers(count: try $0.next(), read: try $0.next(), of: bound) }
                ?? CountedUsers(count: 0, read: 0, of: bound)
        }
    }
}
