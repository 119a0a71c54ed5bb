/// The migrations in progress.
struct Migrations: Sendable {
    struct Running: Sendable {
        let token: RedactedString
        let fence: Int
        let task: Task<PreludeUser, any Error>
    }

    private(set) var running: [Running] = []

    /// The migration in progress with the same credential since the last login or logout.
    func running(_ token: RedactedString, fence: Int) -> Running? {
        running.first { $0.token == token && $0.fence == fence }
    }

    mutating func started(_ migration: Running) { running.append(migration) }

    mutating func stopped(_ token: RedactedString, fence: Int) {
        running.removeAll { $0.token == token && $0.fence == fence }
    }
}
