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
        let slot = try hasher.admit(app: app.settings.id)
        let events = EventFactory(appID: app.settings.id, environment: environment)
        let device = KnownDevice(
            deviceToken, app: app.settings.id, lifetime: app.settings.sessions.knownDeviceLifetime, keys: keys, now: now
        )
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
        do { verdict = try await slot.verify(password, against: hash) } catch {
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
            try await upgrade(hash, of: password, for: user, at: slot)
        }
        return try app.issueLoginChallenge(
            for: user, by: identifier, method: .password, device: device, environment: environment)
    }

    /// Stores a hash of today's cost. The password was right, so without memory for the hash, a later login upgrades it.
    private func upgrade(
        _ hash: String, of password: String, for user: User, at slot: borrowing HashingSlot
    ) async throws {
        let upgraded: String
        do { upgraded = try await slot.hash(password) } catch let error as CancellationError { throw error } catch {
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

/// Counts an attempt to sign in with a password, before the password is compared, and reads the stored hash.
package struct BeginPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// Reports a limit.
    package let events: EventFactory?

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, events: EventFactory? = nil
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.events = events
    }

    package struct Facts: Sendable {
        let standing: KnownDevice.Standing
        let user: User?
        let passwordHash: String?
        let failures: GuardFailures
    }

    package var reads: Read<Facts> {
        Read(
            app: appID, .budget(budget, for: .identifier(identifier)), .user(.identifier(identifier)), .passwordHash,
            .failures,
            as: Facts.init)
    }

    package func decide(_ facts: Facts) -> Decision<BeginPasswordTryOutcome> {
        let counters = budget.counters(for: identifier, device: facts.standing)
        if let limit = budget.reached(at: identifier, device: facts.standing, facts.failures) {
            let subject = LoginSubject(identifier, userID: facts.user?.id)
            return Decision(.limited(limit), events?.loginLimited(limit, .password, of: subject, facts.failures) ?? [])
        }
        let counted = counters.map { $0.counted(app: appID) }
        guard let user = facts.user else { return Decision(.unknown, counted) }
        return Decision(.found(user, passwordHash: facts.passwordHash), counted)
    }
}

package enum BeginPasswordTryOutcome: Sendable, Equatable {
    /// No user has this identifier. The caller still computes a hash, so that the response takes the same time.
    case unknown
    /// The hash is `nil` for a user without a password.
    case found(User, passwordHash: String?)
    case limited(ReachedLimit)
}

/// Ends the failures that a correct password ends, and takes the count of its own attempt back.
package struct CompletePasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// What the device of the budget was when it paid for the attempt.
    package let standing: KnownDevice.Standing
    /// Whether the identifier is held. Then nothing else ends.
    package let isHeld: Bool

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, device standing: KnownDevice.Standing,
        isHeld: Bool
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.standing = standing
        self.isHeld = isHeld
    }

    package var reads: Read<GuardFailures> {
        Read(app: appID, .budget(budget, for: .identifier(identifier)), .failures) { $1 }
    }

    package func decide(_ failures: GuardFailures) -> Decision<Void> {
        let owner = budget.owner(of: identifier, device: standing)
        let counters = budget.counters(for: identifier, device: standing)
        return Decision(
            (),
            owner.success(of: identifier, counted: counters, clearsFailures: !isHeld, app: appID)
                + budget.succeeded(at: identifier, device: standing, failures, app: appID))
    }
}

/// Reports a wrong password, and counts its identifier for the networks of the caller. The attempt itself is counted before.
package struct FailPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// What the device of the budget was when it paid for the attempt.
    package let standing: KnownDevice.Standing
    package let event: Event

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, device standing: KnownDevice.Standing,
        event: Event
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.standing = standing
        self.event = event
    }

    package var reads: Read<GuardFailures> {
        Read(app: appID, .budget(budget, for: .identifier(identifier)), .failures) { $1 }
    }

    package func decide(_ failures: GuardFailures) -> Decision<Void> {
        Decision((), budget.failed(at: identifier, device: standing, failures, app: appID) + [.append(event)])
    }
}

/// Takes the count of an attempt back whose password could not be compared. Otherwise a service without memory for hashes
/// would use up the attempts of its users.
package struct UndoPasswordTry: Intent {
    package let appID: AppID
    package let identifier: CanonicalIdentifier
    package let budget: CallBudget
    /// What the device of the budget was when it paid for the attempt.
    package let standing: KnownDevice.Standing

    package init(
        appID: AppID, identifier: CanonicalIdentifier, budget: CallBudget, device standing: KnownDevice.Standing
    ) {
        self.appID = appID
        self.identifier = identifier
        self.budget = budget
        self.standing = standing
    }

    package var reads: Read<Void> { Read(app: appID) }

    package func decide(_: Void) -> Decision<Void> {
        Decision((), budget.counters(for: identifier, device: standing).map { .uncount($0.key, app: appID) })
    }
}

/// Replaces a hash by a costlier one of the same password, unless the password was changed in the meantime.
package struct UpgradePasswordHash: Intent {
    package let old: String
    package let new: String
    package let userID: String
    package let appID: AppID

    package init(from old: String, to new: String, user id: String, app: AppID) {
        self.old = old
        self.new = new
        userID = id
        appID = app
    }

    package struct Facts: Sendable {
        let user: User?
        let passwordHash: String?
    }

    package var reads: Read<Facts> { Read(app: appID, .user(userID), .passwordHash, as: Facts.init) }

    package func decide(_ facts: Facts) -> Decision<Void> {
        guard let user = facts.user, facts.passwordHash == old else { return Decision(()) }
        return Decision((), [.setPasswordHash(new, replacing: old, of: user)])
    }
}
