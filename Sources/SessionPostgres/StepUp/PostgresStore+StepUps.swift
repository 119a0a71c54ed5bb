package import SessionDomain

@available(service, *)
extension PostgresStore: StepUpStore {
    package func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant] {
        try await read([Statement(Grant.live(of: "$2", at: "$3"), [app, userID, now])]) {
            try $0[0].all(Grant.init(reading:))
        }
    }

    package func grantedUsers(of scope: String, app: AppID, at now: Timestamp) async throws -> Int {
        let count = Statement(
            "SELECT count(DISTINCT user_id) FROM grants WHERE app_id = $1 AND scope = $2 AND expires_at > $3",
            [app, scope, now])
        return try await read([count]) { rows in try rows[0].first { try $0.next() } ?? 0 }
    }
}
