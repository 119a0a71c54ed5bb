/// The migrations in progress, and the one whose second half failed.
struct Migrations: Sendable {
    struct Running: Sendable {
        let token: RedactedString
        let fence: Int
        let task: Task<PreludeUser, any Error>
    }

    /// The result of the first half. The old credential may be valid only once, so a repeated call continues from here.
    struct Exchanged: Sendable {
        let token: RedactedString
        let challengeToken: String
        let codeVerifier: String
        /// The id of the login, which every request that starts its session has.
        let attempt: String
    }

    private(set) var running: [Running] = []
    private(set) var exchanged: Exchanged?

    /// The migration in progress with the same credential since the last login or logout.
    func running(_ token: RedactedString, fence: Int) -> Running? {
        running.first { $0.token == token && $0.fence == fence }
    }

    mutating func started(_ migration: Running) { running.append(migration) }

    mutating func stopped(_ token: RedactedString, fence: Int) {
        running.removeAll { $0.token == token && $0.fence == fence }
    }

    mutating func keep(_ exchanged: Exchanged) { self.exchanged = exchanged }

    /// Drops the result of the first half, unless it was replaced meanwhile.
    mutating func forget(_ exchanged: Exchanged) {
        if self.exchanged?.challengeToken == exchanged.challengeToken { self.exchanged = nil }
    }

    mutating func forget() { exchanged = nil }

    /// Whether the second half may still succeed after this error, because the error says nothing about the credential.
    static func mayRetry(after error: any Error) -> Bool {
        switch error {
        case PreludeSessionError.generic(let code, _): code.hasPrefix("http_5")
        case PreludeSessionError.network, PreludeSessionError.timeout, PreludeSessionError.internalServerError,
            PreludeSessionError.rateLimited, PreludeSessionError.storageUnavailable, is CancellationError:
            true
        default: false
        }
    }
}
