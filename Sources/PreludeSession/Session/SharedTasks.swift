/// The work in progress that callers share. The engine starts it, and says when it ends.
final class SharedTasks {
    struct Migration: Sendable {
        let token: RedactedString
        let fence: Int
        let task: Task<PreludeUser, any Error>
    }

    private(set) var logout: Task<LogoutOutcome, Never>?
    /// At most one since the last login or logout.
    private(set) var refresh: RunningRefresh?
    private var migrations: [Migration] = []

    func started(_ logout: Task<LogoutOutcome, Never>) { self.logout = logout }

    func logoutEnded() { logout = nil }

    func started(_ refresh: RunningRefresh) { self.refresh = refresh }

    /// - Parameter fence: The fence at which the refresh began. A later one stays.
    func refreshEnded(since fence: Int) {
        if refresh?.fence == fence { refresh = nil }
    }

    /// The migration in progress with the same credential since the last login or logout.
    func migration(_ token: RedactedString, fence: Int) -> Migration? {
        migrations.first { $0.token == token && $0.fence == fence }
    }

    func started(_ migration: Migration) { migrations.append(migration) }

    func migrationEnded(_ token: RedactedString, fence: Int) {
        migrations.removeAll { $0.token == token && $0.fence == fence }
    }
}
