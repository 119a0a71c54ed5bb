package import SessionTokens

/// Creates, finds and changes users for an operator's backend.
package struct UserManagement: Sendable {
    private let store: any PasskeyStore & SessionStore & UserStore
    private let apps: any AppStore
    private let hasher: any PasswordHasher
    private let keys: KeyRing
    private let environment: ServiceEnvironment

    package init(
        store: any PasskeyStore & SessionStore & UserStore, apps: any AppStore, hasher: any PasswordHasher,
        keys: KeyRing,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.apps = apps
        self.hasher = hasher
        self.keys = keys
        self.environment = environment
    }

    /// Creates a user with at least one identifier.
    ///
    /// - Parameters:
    ///   - password: Must meet the app's rules. `nil`: the user has no password.
    ///   - more: Makes further events of the same transaction.
    package func create(
        app: AppID, identifiers: [CanonicalIdentifier], password: String? = nil, externalID: String? = nil,
        profile: [String: JSONValue] = [:],
        reporting more: (EventFactory, User) -> [Event] = { _, _ in [] }
    ) async throws -> User {
        var user = User(
            id: environment.newID("usr"), appID: app, externalID: externalID, profile: profile,
            identifiers: identifiers, createdAt: environment.now())
        try user.validate()
        let hash = try await hashed(password, app: app, identifiers: identifiers)
        user.hasPassword = hash != nil
        let factory = EventFactory(appID: app, environment: environment)
        switch try await store.perform(
            CreateUser(user, passwordHash: hash, events: [factory.userCreated(user)] + more(factory, user)))
        {
        case .created: return user
        case .identifierTaken(let index): throw Refusal.identifierTaken(field: "identifiers[\(index)]")
        case .externalIDTaken: throw Refusal.conflict("another user has this external_id")
        }
    }

    package func user(_ id: String, app: AppID) async throws -> User {
        try found(try await store.user(id, app: app))
    }

    package func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User {
        try found(try await store.user(with: identifier, app: app))
    }

    package func user(externalID: String, app: AppID) async throws -> User {
        try found(try await store.user(externalID: externalID, app: app))
    }

    /// Returns a page of users, newest first.
    ///
    /// - Parameters:
    ///   - status: Only users with this status; `nil` for all.
    ///   - limit: 1 to 100.
    package func users(
        app: AppID, status: User.Status? = nil, limit: Int, from start: PageStart = .offset(0)
    ) async throws -> ListPage<User> {
        try PageLimit.check(limit, start)
        let place = { (user: User) in ListPlace(time: user.createdAt, id: user.id) }
        switch start {
        case .offset(let offset):
            let (users, total) = try await store.users(app: app, status: status, limit: limit, offset: offset)
            return ListPage(users, total: total, offset: offset, place: place)
        case .after(let last):
            let found = try await store.users(app: app, status: status, after: last, limit: limit + 1)
            return ListPage(found, limit: limit, place: place)
        }
    }

    /// Counts the newest users by their status, as far as `UserCounts.bound`.
    package func counts(app: AppID) async throws -> UserCounts {
        UserCounts(try await store.statuses(ofNewest: UserCounts.bound, app: app))
    }

    /// Returns the users that have any of up to 100 names, each once, newest first.
    package func users(_ lookup: UserLookup, app: AppID) async throws -> [User] {
        try lookup.validate()
        return try await store.users(lookup, app: app)
    }

    /// Deletes a user with all dependent rows.
    package func delete(_ id: String, app: AppID) async throws {
        let event = factory(app).make(.userDeleted, ["user_id": .string(id)])
        guard
            try await store.perform(
                DeleteUser(id, app: app, events: [event], pseudonym: environment.newID("del")))
        else { throw Self.unknownUser }
    }

    /// Sets the status. Any status except active revokes the user's sessions at once.
    package func setStatus(_ status: User.Status, user id: String, app: AppID) async throws -> User {
        try found(
            try await store.perform(SetUserStatus(status, in: change(of: id, app: app))))
    }

    /// Sets a password that meets the app's rules, and invalidates the user's outstanding codes.
    ///
    /// - Parameter sessions: Those that end with the old password. `nil`: none.
    package func setPassword(
        _ password: String, user id: String, app: AppID, ending sessions: SessionSelection?
    ) async throws -> User {
        let user = try await user(id, app: app)
        let hash = try await requiredHash(password, app: app, identifiers: user.identifiers)
        return try found(
            try await store.perform(
                SetPassword(hash: hash, ending: sessions, in: noticed(of: id, app: app))))
    }

    package func setExternalID(_ externalID: String?, user id: String, app: AppID) async throws -> User {
        try User.validate(externalID: externalID)
        let outcome = try await store.perform(SetExternalID(externalID, in: change(of: id, app: app)))
        return try updated(outcome, taken: .conflict("another user has this external_id"))
    }

    package func mergeProfile(_ changes: [String: JSONValue], user id: String, app: AppID) async throws -> User {
        try User.validate(profile: changes)
        let outcome = try await store.perform(MergeProfile(changes, in: change(of: id, app: app)))
        return try updated(
            outcome,
            full: .invalidField(
                "profile",
                "would have more than \(User.maximumProfileKeys) keys, or \(User.maximumProfileSize) bytes as JSON"))
    }

    package func addIdentifier(_ identifier: CanonicalIdentifier, user id: String, app: AppID) async throws -> User {
        let outcome = try await store.perform(AddIdentifier(identifier, in: noticed(of: id, app: app)))
        return try updated(outcome)
    }

    package func removeIdentifier(
        _ identifier: CanonicalIdentifier, user id: String, app: AppID
    ) async throws -> User {
        let outcome = try await store.perform(RemoveIdentifier(identifier, in: noticed(of: id, app: app)))
        return try updated(outcome)
    }

    /// The limits of strangers at the user's identifiers, and of the user's devices and sessions, that have counted something.
    /// Those that refuse longest come first.
    package func limits(of id: String, app: AppID) async throws -> [RunningLimit] {
        try await running(CounterKey.all(of: try await user(id, app: app)), ofUser: id, app: app)
    }

    /// The same of strangers at an identifier, whether a user has it or not, and of the totals that its messages spend.
    package func limits(of identifier: CanonicalIdentifier, app: AppID) async throws -> [RunningLimit] {
        try await running(
            CounterKey.all(of: .anonymous(identifier)) + CounterKey.totals(to: identifier), ofUser: "", app: app)
    }

    /// The same of the networks of a source address.
    package func limits(ofAddress address: String, app: AppID) async throws -> [RunningLimit] {
        guard IPNetwork.isAddress(address) else { throw Refusal.invalidField("address", "must be an IP address") }
        var limits: [RunningLimit] = []
        for network in keys.networks(of: SourceAddress(ip: address)) {
            limits += try await running(
                CounterKey.all(of: network), ofUser: "", app: app, widening: network.widening)
        }
        return limits
    }

    private func running(
        _ keys: [CounterKey], ofUser id: String, app: AppID, widening: Int = 1
    ) async throws -> [RunningLimit] {
        guard let limits = try await apps.app(app)?.otpLimits else {
            throw Refusal.notFound("there is no app \(app)")
        }
        let stored = try await store.counters(keys, ofUser: id, app: app)
        let known = Dictionary(keys.map { ($0.text, $0) }) { first, _ in first }
        let now = environment.now()
        return stored.compactMap { counter in
            guard let key = known[counter.key] ?? CounterKey.owned(byUser: id, counter.key),
                let limit = limits.rate(of: key)
            else { return nil }
            return RunningLimit(
                key.limit, counter, limit: widening == 1 ? limit : limit.widened(by: widening), now: now)
        }
        .sorted { first, second in
            let none = Timestamp(seconds: 0)
            let (one, other) = (first.refusedUntil ?? none, second.refusedUntil ?? none)
            return one == other ? first.counter < second.counter : one > other
        }
    }

    /// Sets the limits of a user back, such as an identifier that is closed after 99 consecutive failures.
    package func clearLimits(of id: String, app: AppID) async throws -> User {
        try found(try await store.perform(ClearLimits(in: change(of: id, app: app))))
    }

    /// Sets the limits of strangers at an identifier back, whether a user has it or not.
    package func clearLimits(of identifier: CanonicalIdentifier, app: AppID) async throws {
        try await clear(
            CounterKey.all(of: .anonymous(identifier)), ["identifier": .string(identifier.masked)], app: app)
    }

    /// Sets the limits of a source address back: of its /64 and /48 networks for IPv6.
    package func clearLimits(ofAddress address: String, app: AppID) async throws {
        guard IPNetwork.isAddress(address) else { throw Refusal.invalidField("address", "must be an IP address") }
        let networks = keys.networks(of: SourceAddress(ip: address))
        try await clear(
            networks.flatMap { CounterKey.all(of: $0) }, ["address": .string(IPNetwork.canonical(address))], app: app)
    }

    private func clear(_ keys: [CounterKey], _ subject: [String: JSONValue], app: AppID) async throws {
        let events = EventFactory(appID: app, environment: environment)
        try await store.perform(ClearCounters(keys, report: events.make(.limitsCleared, subject)))
    }

    // MARK: Passkeys

    /// Oldest first.
    package func passkeys(of id: String, app: AppID) async throws -> [Passkey] {
        _ = try await user(id, app: app)
        return try await store.passkeys(of: id, app: app)
    }

    /// Deletes a passkey, also the last one. Logins and step-ups that have begun end.
    package func deletePasskey(_ passkey: String, of id: String, app: AppID) async throws {
        let change = try await noticed(of: id, app: app)
        guard try await store.perform(DeletePasskeyOfUser(passkey, in: change)) else {
            throw Refusal.notFound("the user has no such passkey")
        }
    }

    // MARK: Sessions

    /// Returns a page of the live sessions of a user that a filter selects, last seen first.
    package func sessions(
        of id: String, app: AppID, filter: SessionFilter = SessionFilter(), limit: Int,
        from start: PageStart = .offset(0)
    ) async throws -> ListPage<Session> {
        try PageLimit.check(limit, start)
        _ = try await user(id, app: app)
        let now = environment.now()
        let place = { (session: Session) in ListPlace(time: session.lastSeenAt, id: session.id) }
        switch start {
        case .offset(let offset):
            let (sessions, total) = try await store.sessions(
                of: id, app: app, filter: filter, now: now, limit: limit, offset: offset)
            return ListPage(sessions, total: total, offset: offset, place: place)
        case .after(let last):
            let found = try await store.sessions(
                of: id, app: app, filter: filter, now: now, after: last, limit: limit + 1)
            return ListPage(found, limit: limit, place: place)
        }
    }

    /// A live session of a user.
    package func session(_ id: String, of user: String, app: AppID) async throws -> Session {
        let session = try await store.session(id, app: app)
        guard let session, session.userID == user, session.isLive(at: environment.now()) else {
            throw Self.unknownSession
        }
        return session
    }

    /// Revokes sessions of a user. Returns how many of them were active.
    ///
    /// - Throws: `Refusal.notFound` if all but one are selected, and the one is not a live session of the user. No session
    ///   ends then.
    package func endSessions(_ selection: SessionSelection, of id: String, app: AppID) async throws -> Int {
        _ = try await user(id, app: app)
        let revocation = RevokeSessions(selection, reason: .revokedByOperator, in: change(of: id, app: app))
        guard let ended = try await store.perform(revocation) else { throw Self.unknownSession }
        return ended
    }

    // MARK: Helpers

    private static let unknownUser = Refusal.notFound("there is no such user")
    private static let unknownSession = Refusal.notFound("the user has no such session")

    private func factory(_ app: AppID) -> EventFactory { EventFactory(appID: app, environment: environment) }

    private func change(of id: String, app: AppID) -> UserChange {
        UserChange(of: id, app: app, now: environment.now(), events: factory(app))
    }

    /// A change that the user gets a notice of.
    private func noticed(of id: String, app: AppID) async throws -> UserChange {
        let notices = try await apps.app(app).map { NoticeFactory($0, environment: environment) }
        return UserChange(of: id, app: app, now: environment.now(), events: factory(app), notices: notices)
    }

    private func found(_ user: User?) throws(Refusal) -> User {
        guard let user else { throw Self.unknownUser }
        return user
    }

    private func updated(
        _ outcome: UpdateUserOutcome, taken: Refusal = .identifierTaken(), full: Refusal = .identifiersFull
    ) throws(Refusal) -> User {
        switch outcome {
        case .updated(let user): return user
        case .taken: throw taken
        case .full: throw full
        case .notFound: throw Self.unknownUser
        }
    }

    private func hashed(
        _ password: String?, app: AppID, identifiers: [CanonicalIdentifier]
    ) async throws -> String? {
        guard let password else { return nil }
        return try await requiredHash(password, app: app, identifiers: identifiers)
    }

    private func requiredHash(
        _ password: String, app id: AppID, identifiers: [CanonicalIdentifier]
    ) async throws -> String {
        guard let app = try await apps.app(id) else { throw Refusal.notFound("there is no app \(id)") }
        try NewPasswordRules(app: app, identifiers: identifiers).check(password)
        return try await hasher.hash(password, app: id)
    }
}
