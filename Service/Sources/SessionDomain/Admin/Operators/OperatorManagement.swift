/// Invites, lists, changes and removes the operators of the console.
package struct OperatorManagement: Sendable {
    private let store: any ServiceStore
    private let apps: AppManagement
    private let users: UserManagement
    private let environment: ServiceEnvironment

    init(store: any ServiceStore, apps: AppManagement, users: UserManagement, environment: ServiceEnvironment) {
        self.store = store
        self.apps = apps
        self.users = users
        self.environment = environment
    }

    /// Creates the account of an operator, and the operator app with the first one. No message is sent.
    ///
    /// - Parameters:
    ///   - app: The app that the operator works with. `nil`: all apps.
    ///   - password: Must meet the rules of the operator app. `nil`: the operator signs in with codes.
    /// - Throws: `Refusal.invalidIdentifier` for an invalid address, `.identifierTaken`, `.notFound` for an unknown app.
    package func invite(
        _ address: String, role: OperatorRole, app: AppID? = nil, password: String? = nil
    ) async throws -> ConsoleOperator {
        if let app { _ = try await apps.app(app) }
        let identifier = try Self.identifier(address)
        try await OperatorApp.ensure(in: apps, store: store, at: environment.now())
        let user = try await users.create(
            app: .operators, identifiers: [identifier], password: password,
            profile: ConsoleOperator.profile(role, app: app)
        ) { factory, user in
            ConsoleOperator(user).map { [factory.operatorCreated($0)] } ?? []
        }
        return try known(user)
    }

    /// Whether the operator app exists. The first invitation creates it.
    package var exist: Bool { get async throws { try await store.app(.operators) != nil } }

    /// All operators, newest first.
    package func all() async throws -> [ConsoleOperator] {
        var (found, place): ([ConsoleOperator], PageStart) = ([], .offset(0))
        while true {
            let page = try await users.users(app: .operators, limit: 100, from: place)
            found += page.elements.compactMap { ConsoleOperator($0) }
            guard let last = page.elements.last, page.elements.count == 100 else { return found }
            place = .after(ListPlace(time: last.createdAt, id: last.id))
        }
    }

    package func find(_ id: String) async throws -> ConsoleOperator {
        try known(try await store.user(id, app: .operators))
    }

    package func find(address: String) async throws -> ConsoleOperator {
        try known(try await store.user(with: Self.identifier(address), app: .operators))
    }

    // MARK: Changing

    /// - Parameters:
    ///   - seen: `ConsoleOperator.version` that the caller has seen. `nil`: any.
    ///   - principal: Who makes the change. `nil`: a command.
    /// - Throws: `Refusal.conflict` for a change of the own account: the last admin could lock everyone out; and if the account
    ///   has changed since it was seen.
    ///   `Refusal.forbidden` if the operator who makes the change has lost the right to it.
    package func setRole(
        _ role: OperatorRole, app: AppID?, of id: String, seen: String? = nil, by principal: ConsolePrincipal? = nil
    ) async throws {
        try requireOther(id, principal)
        if let app { _ = try await apps.app(app) }
        let rights = ChangeOperatorRights(role: role, appID: app, of: seen, change: change(of: id))
        _ = try known(try await store.perform(OperatorChange(rights, by: principal)))
    }

    /// Suspends an operator, which ends all sessions at once, or activates one again.
    ///
    /// - Throws: As `setRole`.
    package func setStatus(
        _ status: User.Status, of id: String, by principal: ConsolePrincipal? = nil
    ) async throws {
        try requireOther(id, principal)
        let setting = SetUserStatus(status, in: change(of: id))
        _ = try known(try await store.perform(OperatorChange(setting, by: principal)))
    }

    /// Deletes the account of an operator, with all sessions.
    ///
    /// - Throws: As `setRole`.
    package func remove(_ id: String, by principal: ConsolePrincipal? = nil) async throws {
        try requireOther(id, principal)
        let event = events.operatorRemoved(try await find(id))
        let deletion = DeleteUser(id, app: .operators, events: [event])
        guard try await store.perform(OperatorChange(deletion, by: principal)) else { throw Self.unknown }
    }

    /// Sets the password of an operator. The other sessions of the operator end; the one of the caller continues.
    package func setPassword(_ password: String, of id: String, keeping session: String? = nil) async throws {
        _ = try await find(id)
        _ = try await users.setPassword(
            password, user: id, app: .operators, ending: session.map { .allBut($0) } ?? .all)
    }

    /// Sets the limits of an operator back, such as those of an address that strangers have closed with wrong passwords.
    package func clearLimits(of id: String) async throws {
        _ = try await find(id)
        _ = try await users.clearLimits(of: id, app: .operators)
    }

    // MARK: Sessions

    package func sessions(of id: String) async throws -> [Session] {
        try await users.sessions(of: id, app: .operators, limit: 100).elements
    }

    /// - Throws: `Refusal.notFound` if the operator has no such session.
    package func endSession(_ session: String, of id: String) async throws {
        guard try await users.endSessions(.one(session), of: id, app: .operators) == 1 else {
            throw Refusal.notFound("the operator has no such session")
        }
    }

    package func endSessions(of id: String) async throws {
        _ = try await users.endSessions(.all, of: id, app: .operators)
    }

    // MARK: Helpers

    private static let unknown = Refusal.notFound("there is no such operator")

    static func identifier(_ address: String) throws(Refusal) -> CanonicalIdentifier {
        try CanonicalIdentifier(.emailAddress, address, ofField: "address")
    }

    private var events: EventFactory { EventFactory(appID: .operators, environment: environment) }

    private func change(of id: String) -> UserChange {
        UserChange(of: id, app: .operators, now: environment.now(), events: events)
    }

    private func requireOther(_ id: String, _ principal: ConsolePrincipal?) throws(Refusal) {
        guard principal?.operator?.id != id else {
            throw .conflict("this is your own account; another admin, or a management key, can change it")
        }
    }

    private func known(_ user: User?) throws(Refusal) -> ConsoleOperator {
        guard let user, let found = ConsoleOperator(user) else { throw Self.unknown }
        return found
    }
}

/// Sets role and app of an operator. They apply from the next request on, on every node. Returns `nil` for an unknown operator.
package struct ChangeOperatorRights: Intent {
    package let role: OperatorRole
    package let appID: AppID?
    /// `ConsoleOperator.version` as the operator who makes the change has seen it. `nil`: any.
    package let seen: String?
    package let change: UserChange

    package init(role: OperatorRole, appID: AppID?, of seen: String? = nil, change: UserChange) {
        self.seen = seen
        self.role = role
        self.appID = appID
        self.change = change
    }

    package var reads: Read<User?> { Read(app: change.appID, .user(change.userID)) }

    /// - Throws: `Refusal.conflict` if the account has changed since it was seen.
    package func decide(_ user: User?) throws -> Decision<User?> {
        guard let user, let old = ConsoleOperator(user) else { return Decision(nil) }
        guard [nil, old.version].contains(seen) else {
            throw Refusal.conflict("the account has changed meanwhile; load the page again")
        }
        var next = user
        next.profile = ConsoleOperator.profile(role, app: appID)
        guard next.profile != user.profile else { return Decision(user) }
        next.updatedAt = change.now
        return Decision(
            next,
            [
                .replaceUser(user, with: next),
                .append(change.events.operatorUpdated(old, role: role, app: appID)),
            ])
    }
}

/// A change of an operator that another operator makes.
///
/// The rights of the one who makes it are checked again in the transaction, and such changes wait for each other. So of two
/// admins who remove each other at the same moment, one stays.
package struct OperatorChange<Inner: Intent>: Intent {
    let change: Inner
    /// Who makes the change, as the request found the account. `nil`: a management key or a command.
    let caller: ConsoleOperator?

    package init(_ change: Inner, by principal: ConsolePrincipal?) {
        self.change = change
        caller = principal?.operator
    }

    package struct Facts: Sendable {
        let change: Inner.Facts
        let owners: [User]
    }

    package var reads: Read<Facts> {
        guard let caller else { return Read(change.reads) { Facts(change: $0, owners: []) } }
        // The row of the operator app is the lock.
        return Read(change.reads, .settings(), .owners(of: [caller.address])) { Facts(change: $0, owners: $2) }
    }

    /// - Throws: `Refusal.forbidden` if the caller was removed or suspended, or has other rights, since the request began.
    package func decide(_ facts: Facts) throws -> Decision<Inner.Outcome> {
        if let caller {
            let current = facts.owners.first { $0.id == caller.id }
            guard let current, current.status == .active, let person = ConsoleOperator(current),
                person.role == caller.role, person.appID == caller.appID
            else { throw Refusal.forbidden("your own account was changed at the same moment") }
        }
        return try change.decide(facts.change)
    }
}

/// The built-in app whose users are the operators of the console.
///
/// Its id is no valid app id, so no path, host, command or key can name it: the frontend API does not serve it, and the
/// management API can neither change nor delete it.
private enum OperatorApp {
    /// Seconds until a session of an operator ends, used or not.
    static let sessionLifetime = ConsoleSession.absoluteLifetime

    /// Creates the app unless it exists. Of two nodes that do so at once, one creates it.
    static func ensure(in apps: AppManagement, store: any AppStore, at now: Timestamp) async throws {
        guard try await store.app(.operators) == nil else { return }
        do {
            _ = try await apps.create(id: .operators, name: "Prelude Session console") { app in
                configure(&app, at: now)
            }
        } catch Refusal.conflict {
            // Another node has created it.
        }
    }

    private static func configure(_ app: inout App, at now: Timestamp) {
        app.signUp = false
        app.passwordLogin = PasswordLoginConfig(at: now)
        app.passwordLogin?.policy.minLength = 12
        app.otpLogins = [OTPLoginConfig(id: "lcfg_operators", channel: .email, isDefault: true, at: now)]
        app.sessions.idleLifetime = sessionLifetime
        app.sessions.absoluteLifetime = sessionLifetime
        app.sessions.maximumSessions = 20
        app.newIdentifierHold = 0
    }
}
