internal import SessionTokens

/// Ends every session of an app, for an operator who wants all users to sign in again.
///
/// Each user is one intent, so it can run beside the service and be repeated. A session that starts while the sweep runs
/// comes from a login after its beginning, or ends with its user's turn.
package struct SessionSweep: Sendable {
    /// The users of one page, whose writes share commits.
    private static let pageSize = 256

    private let store: any UserStore
    private let environment: ServiceEnvironment

    package init(store: any UserStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Revokes all sessions of all users, with events, and voids their logins that have begun. An event of the app reports
    /// the end of the sweep: a user without sessions gets none.
    ///
    /// - Returns: The number of users, and of their sessions that were active.
    package func endAllSessions(of app: AppID) async throws -> (users: Int, sessions: Int) {
        var (users, sessions) = (0, 0)
        var last: String?
        while true {
            // Pages by id: users who are created or deleted meanwhile move no other user to another page.
            let page = try await store.userIDs(app: app, after: last, limit: Self.pageSize)
            sessions += try await endSessions(of: page, app: app)
            users += page.count
            last = page.last
            guard page.count == Self.pageSize else { break }
        }
        let event = EventFactory(appID: app, environment: environment).make(
            .sessionsRevoked, ["users": .int(Int64(users)), "sessions": .int(Int64(sessions))])
        try await store.perform(AppendEvents([event]))
        return (users, sessions)
    }

    private func endSessions(of users: [String], app: AppID) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for id in users {
                group.addTask {
                    try await store.perform(
                        RevokeSessions(
                            .all, reason: .revokedByOperator, reportsVoidedLogins: false,
                            in: UserChange(
                                of: id, app: app, now: environment.now(),
                                events: EventFactory(appID: app, environment: environment)))) ?? 0
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
