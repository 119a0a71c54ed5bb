/// Login with an e-mail address and a password.
package struct PasswordLogin: Sendable {
    private let store: any LoginStore & UserStore
    private let hasher: any PasswordHasher
    private let sources: SourceLimiter
    private let environment: ServiceEnvironment

    package init(
        store: any LoginStore & UserStore, hasher: any PasswordHasher, sources: SourceLimiter,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.hasher = hasher
        self.sources = sources
        self.environment = environment
    }

    /// Checks a password. Wrong passwords, unknown addresses and users without a password get the same answer after the
    /// same time.
    ///
    /// - Returns: The challenge token for finalize.
    package func login(
        app: AppRuntime, identifier: CanonicalIdentifier, password: String, source: SourceAddress
    ) async throws -> String {
        let config = try Self.config(of: app.settings)
        let now = environment.now()
        try sources.take("password", source: source, limit: config.ipLimit, now: now)
        let attempt = try await store.perform(
            BeginPasswordTry(appID: app.settings.id, identifier: identifier, limit: config.identifierLimit, now: now))
        let user: User?
        let hash: String?
        switch attempt {
        case .limited(let until): throw Refusal.rateLimited(retryAfter: until.retryAfter(from: now))
        case .unknown: (user, hash) = (nil, nil)
        case .found(let found, let stored): (user, hash) = (found, stored)
        }
        guard case .right(let needsUpgrade) = try await hasher.verify(password, against: hash), let user else {
            throw Refusal.unauthorized
        }
        try user.requireActive()
        try await store.perform(ClearPasswordTries(identifier, app: app.settings.id))
        if needsUpgrade, let hash {
            try await store.perform(
                UpgradePasswordHash(
                    from: hash, to: try await hasher.hash(password), user: user.id, app: app.settings.id))
        }
        return try app.issueLoginChallenge(for: user, by: identifier, environment: environment)
    }

    /// The rules for new passwords, so that clients can check them early.
    package func policy(app: AppRuntime) throws -> PasswordPolicy {
        try Self.config(of: app.settings).policy
    }

    private static func config(of app: App) throws(Refusal) -> PasswordLoginConfig {
        guard let config = app.passwordLogin, config.enabled else {
            throw .noLoginConfig("password login is not configured")
        }
        return config
    }
}
