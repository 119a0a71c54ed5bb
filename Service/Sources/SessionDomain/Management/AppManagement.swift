internal import Foundation

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
        try AppSettingsChange(name: name).apply(to: &app)
        try configure(&app)
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

    /// Changes the settings of the app itself. A new algorithm gets a key, which signs after it has been published
    /// everywhere.
    ///
    /// - Parameter key: The key of the operator who makes the change. `nil`: this process does.
    /// - Throws: `Refusal.forbidden` if a key of one app sets the domains: it would take the hosts of other apps;
    ///   `.invalidField` for invalid settings, and for a new domain that is the service's own host of another app.
    package func change(
        _ settings: AppSettingsChange, of id: AppID, by key: ManagementKey? = nil
    ) async throws -> App {
        guard settings.domains == nil || key?.appID == nil else {
            throw Refusal.forbidden("domains can be set only with a management key that is valid for all apps")
        }
        let app = try await update(id, takingDomains: settings.domains != nil) { app in
            let before = app.domains
            try settings.apply(to: &app)
            try requireNoOwnHost(of: app, in: app.domains.filter { !before.contains($0) })
            return app
        }
        // If the process stops before this line, housekeeping creates the key.
        if settings.signingAlgorithm != nil {
            for purpose in [StoredSigningKey.Purpose.access, .challenge] {
                try await keys.rotate(purpose, of: id, reason: .schedule)
            }
        }
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
            try AppSettingsChange(domains: app.domains + [domain]).apply(to: &app)
            return app
        }
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
            let others = app.allowedOrigins.filter { $0 != origin }
            try AppSettingsChange(allowedOrigins: isAllowed ? others + [origin] : others).apply(to: &app)
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

    /// - Throws: `Refusal.notFound` if the subject is not blocked.
    package func unblock(_ subject: Block.Subject, of id: AppID) async throws {
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

    /// Changes settings in one transaction. If the closure throws, they stay unchanged.
    package func update<Answer: Sendable>(
        _ id: AppID, takingDomains: Bool = false, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer {
        let intent = UpdateApp(id, takingDomains: takingDomains, events: events(id), change)
        guard let answer = try await store.perform(intent) else {
            throw Refusal.notFound("there is no app \(id)")
        }
        directory?.invalidate()
        return answer
    }

    private func events(_ app: AppID) -> EventFactory { EventFactory(appID: app, environment: environment) }
}
