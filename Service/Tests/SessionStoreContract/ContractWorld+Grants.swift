internal import SessionDomain
internal import Testing

extension ContractWorld {
    /// A grant that is not stored yet. A session that starts with it stores it.
    func grant(
        _ scope: String, _ mode: GrantMode, to session: Session, generation: Int64 = 0, lasts seconds: Int = 100
    ) -> Grant {
        Grant(
            id: environment.newID("grt"), appID: session.appID, userID: session.userID, sessionID: session.id,
            scope: scope, mode: mode, generation: generation, expiresAt: now + seconds)
    }

    /// A session that is in the store, with one grant.
    func signIn(
        _ user: User, key: String? = "key-1", granted scope: String, _ mode: GrantMode, lasts seconds: Int = 100
    ) async throws -> (session: Session, grant: Grant) {
        let session = newSession(of: user, key: key)
        let grant = grant(scope, mode, to: session, lasts: seconds)
        try #require(try await store.perform(start(session, grants: [grant], epoch: user.loginEpoch)) == .started(user))
        return (session, grant)
    }

    /// An app that is in the store. Its scopes are registered and have rules.
    @discardableResult
    func addApp(_ id: AppID? = nil, scopes: [String] = []) async throws -> App {
        var app = App(id: id ?? self.app, name: "contract", createdAt: now)
        app.scopes = scopes
        app.stepUp = StepUpConfig(
            jwksURL: nil, stepKeys: [], rules: scopes.map { ScopeRule(scope: $0, mode: .direct([], .block)) }, at: now)
        try #require(try await store.perform(CreateApp(app, keys: [])))
        return app
    }

    /// Deletes the expired rows of all users and apps, and returns how many there were.
    func countExpired(after seconds: Int) async throws -> Int {
        try await deleteExpired(now: now + seconds, limit: 1000)
    }
}

extension RotationOutcome {
    var grants: [Grant]? {
        switch self {
        case .rotated(_, _, let grants), .repeated(_, _, let grants), .recovered(_, _, let grants): grants
        case .nonceDemanded, .revoked, .refused: nil
        }
    }
}
