/// Login with an e-mail address and a password.
package struct PasswordLogin: Sendable {
    private let store: any LoginStore & UserStore
    private let keys: KeyRing
    private let hasher: any PasswordHasher
    private let environment: ServiceEnvironment

    package init(
        store: any LoginStore & UserStore, keys: KeyRing, hasher: any PasswordHasher,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.hasher = hasher
        self.environment = environment
    }

    /// Checks a password. Wrong passwords, unknown addresses and users without a password get the same answer after the
    /// same time.
    ///
    /// - Parameter deviceToken: The token of a known device. An invalid one is ignored.
    /// - Returns: The challenge token for finalize.
    package func login(
        app: AppRuntime, identifier: CanonicalIdentifier, password: String, deviceToken: String? = nil,
        source: SourceAddress
    ) async throws -> String {
        _ = try Self.config(of: app.settings)
        let now = environment.now()
        try app.settings.requireNotBlocked(identifier, now: now)
        // Before anything is counted: a busy service must not use up the attempts of the user.
        let place = try hasher.admit(app: app.settings.id)
        let events = EventFactory(appID: app.settings.id, environment: environment)
        let device = KnownDevice(deviceToken, app: app.settings.id, keys: keys, now: now)
        let budget = CallBudget(
            .password, limits: app.settings.otpLimits, device: device, networks: keys.networks(of: source), now: now)
        let attempt = try await store.perform(
            BeginPasswordTry(appID: app.settings.id, identifier: identifier, budget: budget, events: events))
        let user: User?
        let hash: String?
        switch attempt {
        case .limited(let limit): throw limit.refusal(now: now, observer: environment.observer)
        case .unknown: (user, hash) = (nil, nil)
        case .found(let found, let stored): (user, hash) = (found, stored)
        }
        let standing = user.flatMap { device?.standing(for: $0) } ?? .stranger
        let verdict: PasswordVerdict
        do { verdict = try await place.verify(password, against: hash) } catch {
            // Nothing was compared. If the count stays, because the database fails, too, the user waits for the limit.
            _ = try? await store.perform(
                UndoPasswordTry(appID: app.settings.id, identifier: identifier, budget: budget, device: standing))
            throw error
        }
        // Reports a failed attempt before it is answered, for known and unknown identifiers with the same statements.
        func failed(_ reason: LoginFailure) async throws {
            let event = events.loginFailed(reason, .password, of: LoginSubject(identifier, userID: user?.id))
            try await store.perform(
                FailPasswordTry(
                    appID: app.settings.id, identifier: identifier, budget: budget, device: standing, event: event))
        }
        guard case .right(let needsUpgrade) = verdict, let user else {
            try await failed(user == nil ? .unknownUser : hash == nil ? .noPassword : .wrongPassword)
            throw Refusal.unauthorized
        }
        do throws(Refusal) { try user.requireActive() } catch {
            try await failed(.inactiveUser)
            throw error
        }
        try await store.perform(
            CompletePasswordTry(
                appID: app.settings.id, identifier: identifier, budget: budget,
                device: standing, isHeld: user.isHeld(identifier, at: now)))
        if needsUpgrade, let hash {
            try await upgrade(hash, of: password, for: user, at: place)
        }
        return try app.issueLoginChallenge(
            for: user, by: identifier, method: .password, device: device, environment: environment)
    }

    /// Stores a hash of today's cost. The password was right, so without memory for the hash, a later login upgrades it.
    private func upgrade(
        _ hash: String, of password: String, for user: User, at place: borrowing HashingPlace
    ) async throws {
        let upgraded: String
        do { upgraded = try await place.hash(password) } catch let error as CancellationError { throw error } catch {
            environment.observer.observe(.failed(.hashUpgrade, error))
            return
        }
        try await store.perform(UpgradePasswordHash(from: hash, to: upgraded, user: user.id, app: user.appID))
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
