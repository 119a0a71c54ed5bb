internal import Foundation
internal import SessionTokens

/// Creates apps and changes their settings.
package struct AppManagement: Sendable {
    private let store: any AppStore
    private let keys: SigningKeys
    private let directory: AppDirectory?
    private let environment: ServiceEnvironment

    /// - Parameter directory: Invalidated after each change. `nil` in processes that serve no requests.
    package init(store: any AppStore, keys: SigningKeys, directory: AppDirectory?, environment: ServiceEnvironment) {
        self.store = store
        self.keys = keys
        self.directory = directory
        self.environment = environment
    }

    /// The apps of customers, oldest first, without the built-in app of operators.
    package func apps() async throws -> [App] { try await store.apps().filter { $0.id != .operators } }

    /// Creates an app with new signing keys.
    ///
    /// - Parameters:
    ///   - id: `nil` generates a random one.
    ///   - configure: Changes the default settings before the app is stored.
    /// - Throws: `Refusal.conflict` if the id or a domain is taken.
    package func create(
        id: AppID?, name: String, configure: (inout App) throws -> Void = { _ in }
    ) async throws -> App {
        let now = environment.now()
        var app = App(id: id ?? AppID(environment: environment), name: "", createdAt: now)
        app.name = name
        try configure(&app)
        try App.schema.check(app)
        try requireNoOwnHost(of: app, in: app.domains)
        var first: [StoredSigningKey] = []
        for purpose in [StoredSigningKey.Purpose.access, .challenge] {
            first.append(try await keys.generate(app: app.id, purpose: purpose, algorithm: purpose.algorithm(of: app)))
        }
        guard try await store.perform(CreateApp(app, keys: first, events: [events(app.id).appCreated(app)])) else {
            throw Refusal.conflict("there is already an app \(app.id)")
        }
        directory?.invalidate()
        return app
    }

    /// Adds a custom domain. A repeated call has no effect.
    ///
    /// - Parameter field: Names the domain in a refusal.
    /// - Throws: `Refusal.invalidField` for anything but a bare host, and for the service's own host of another app;
    ///   `.conflict` if another app has the domain.
    package func addDomain(_ domain: String, to id: AppID, field: String = "domains") async throws -> App {
        try await update(id, takingDomains: true) { app in
            guard !app.domains.contains(domain.lowercased()) else { return app }
            try requireNoOwnHost(of: app, in: [domain.lowercased()], field: field)
            try app.change { $0.domains.append(domain) }
            return app
        }
    }

    /// Rejects domains that `update` would reject. It does not compare them with those of other apps.
    func checkDomains(of app: App, replacing old: App, by key: ManagementKey?) throws(Refusal) {
        guard app.domains != old.domains else { return }
        guard key?.appID == nil else {
            throw .forbidden("domains can be set only with a management key that is valid for all apps")
        }
        try requireNoOwnHost(of: app, in: app.domains.filter { !old.domains.contains($0) })
    }

    /// A request for the service's own host of an app always reaches that app. As a domain of another one, the host would
    /// only be the issuer of that one's tokens, and an accepted target of its proofs.
    private func requireNoOwnHost(of app: App, in domains: [String], field: String = "domains") throws(Refusal) {
        for domain in domains {
            if let owner = directory?.app(ofOwnHost: domain), owner != app.id {
                throw .invalidField(
                    field, "must not contain \(domain), which is the service's own host of the app \(owner)")
            }
        }
    }

    /// Allows pages of an origin to call the app, or no longer. A repeated call has no effect.
    ///
    /// - Throws: `Refusal.invalidField` with the field `allowed_origins`.
    package func setOrigin(_ origin: String, isAllowed: Bool, of id: AppID) async throws {
        try await update(id) { app in
            guard app.allowedOrigins.contains(origin) != isAllowed else { return }
            try app.change { app in
                app.allowedOrigins.removeAll { $0 == origin }
                if isAllowed { app.allowedOrigins.append(origin) }
            }
        }
    }

    /// - Throws: `Refusal.notFound` if the app does not have the domain.
    package func removeDomain(_ domain: String, from id: AppID) async throws -> App {
        try await update(id) { app in
            guard let index = app.domains.firstIndex(of: domain.lowercased()) else {
                throw Refusal.notFound("the app has no such domain")
            }
            app.domains.remove(at: index)
            return app
        }
    }

    /// The blocks that have not ended, the newest first.
    package func blocks(of id: AppID) async throws -> [Block] {
        let now = environment.now()
        return try await app(id).blocks.filter { $0.until > now }.reversed()
    }

    /// Refuses calls from a network, or logins with an identifier, for a time. A block of the same subject is replaced.
    package func block(_ subject: Block.Subject, seconds: Int, note: String?, of id: AppID) async throws -> Block {
        let now = environment.now()
        let block = try Block(subject, seconds: seconds, note: note, now: now)
        try await update(id) { app in try app.add(block, now: now) }
        return block
    }

    /// - Throws: `Refusal.notFound` if the subject is not blocked, `.invalidField` for a text that is no network.
    package func unblock(_ subject: Block.Subject, of id: AppID) async throws {
        let subject = try subject.canonical()
        try await update(id) { app in
            let count = app.blocks.count
            app.blocks.removeAll { $0.subject == subject }
            guard app.blocks.count < count else { throw Refusal.notFound("there is no such block") }
        }
    }

    package func app(_ id: AppID) async throws -> App {
        guard let app = try await store.app(id) else { throw Refusal.notFound("there is no app \(id)") }
        return app
    }

    /// Changes settings in one transaction. If the closure throws, they stay unchanged. A new algorithm of access tokens gets
    /// a key, which signs after it has been published everywhere.
    ///
    /// - Parameters:
    ///   - takingDomains: Whether the change may add domains.
    ///   - key: The key of the operator who makes the change. `nil`: this process does.
    /// - Throws: `Refusal.forbidden` if a key of one app changes the domains: it would take the hosts of other apps;
    ///   `.invalidField` for a new domain that is the service's own host of another app.
    package func update<Answer: Sendable>(
        _ id: AppID, takingDomains: Bool = false, by key: ManagementKey? = nil,
        _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer {
        let intent = UpdateApp(id, takingDomains: takingDomains, events: events(id)) { app in
            let before = app
            let answer = try change(&app)
            try checkDomains(of: app, replacing: before, by: key)
            return (answer: answer, hasNewAlgorithm: app.signingAlgorithm != before.signingAlgorithm)
        }
        guard let done = try await store.perform(intent) else {
            throw Refusal.notFound("there is no app \(id)")
        }
        directory?.invalidate()
        // If the process stops before this line, housekeeping creates the key.
        if done.hasNewAlgorithm {
            for purpose in [StoredSigningKey.Purpose.access, .challenge] {
                try await keys.rotate(purpose, of: id, reason: .schedule)
            }
        }
        return done.answer
    }

    private func events(_ app: AppID) -> EventFactory { EventFactory(appID: app, environment: environment) }
}

extension App {
    /// Changes the settings of the app itself, if the result is valid.
    fileprivate mutating func change(_ change: (inout App) -> Void) throws(Refusal) {
        var next = self
        change(&next)
        try Self.schema.check(next, replacing: self)
        self = next
    }
}

/// Inserts an app with its first signing keys. Returns `false` if the id is taken.
package struct CreateApp: Intent {
    package let app: App
    package let keys: [StoredSigningKey]
    package let events: [Event]

    package init(_ app: App, keys: [StoredSigningKey], events: [Event] = []) {
        self.app = app
        self.keys = keys
        self.events = events
    }

    package struct Facts: Sendable {
        let apps: [App]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> { Read(app: app.id, .apps(if: !app.domains.isEmpty), .failures, as: Facts.init) }

    /// - Throws: `Refusal.conflict` if another app has one of the domains.
    package func decide(_ facts: Facts) throws -> Decision<Bool> {
        if facts.failures.isTaken(.app(app.id)) { return Decision(false) }
        try app.requireOwnDomains(beside: facts.apps)
        return Decision(
            true, [.insertApp(app)] + keys.map { .insertSigningKey($0) } + events.map { .append($0) })
    }
}

/// Changes the settings of an app. Returns `nil` for an unknown app.
///
/// Challenges and grants of scopes that the change takes away are deleted with it (R13).
package struct UpdateApp<Answer: Sendable>: Intent {
    package let appID: AppID
    /// Whether the change may add domains. Then no other app may have them.
    package let takesDomains: Bool
    /// Changes the settings. It may run more than once. If it throws, nothing is written.
    package let change: @Sendable (inout App) throws -> Answer
    /// Reports what differs after the change. `nil` reports nothing.
    package let events: EventFactory?

    package init(
        _ id: AppID, takingDomains takesDomains: Bool = false, events: EventFactory? = nil,
        _ change: @escaping @Sendable (inout App) throws -> Answer
    ) {
        appID = id
        self.takesDomains = takesDomains
        self.events = events
        self.change = change
    }

    package struct Facts: Sendable {
        let settings: App?
        let apps: [App]
    }

    package var reads: Read<Facts> { Read(app: appID, .settings(), .apps(if: takesDomains), as: Facts.init) }

    package func decide(_ facts: Facts) throws -> Decision<Answer?> {
        guard let old = facts.settings else { return Decision(nil) }
        var app = old
        let answer = try change(&app)
        if takesDomains, app.domains != old.domains { try app.requireOwnDomains(beside: facts.apps) }
        let kept = app.scopesKept(from: old)
        let ended: [Change] =
            old.grantableScopes.isSubset(of: kept) ? [] : [.deleteStepUpsExcept(scopes: kept, app: appID)]
        let event = events?.appUpdated(old, to: app).map { [Change.append($0)] } ?? []
        return Decision(answer, ended + [.replaceApp(old, with: app)] + event)
    }
}

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
