package import SessionDomain

extension PostgresStore: MessageStore {
    package func dueMessages(at times: DueTimes) async throws -> [(lane: MessageLane, count: Int)] {
        let lanes = Statement(
            """
            SELECT app_id, type, route, count(*) FROM messages
            WHERE status = 'pending' AND (next_attempt_at <= $1 OR next_attempt_at > $2)
            GROUP BY app_id, type, route ORDER BY min(next_attempt_at), app_id, type, route
            """, [times.now, times.horizon])
        return try await read([lanes]) { rows in
            try rows[0].all { columns in
                let (app, type): (AppID, IdentifierType) = (try columns.next(), try columns.next())
                return (
                    lane: MessageLane(appID: app, channel: .init(reaching: type), route: try columns.next()),
                    count: try columns.next()
                )
            }
        }
    }
}
