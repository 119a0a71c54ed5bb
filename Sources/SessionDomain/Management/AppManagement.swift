/// Creating apps and changing their settings.
package struct AppManagement: Sendable {
    private let store: any AppStore
    private let keys: SigningKeys
    private let directory: AppDirectory?
    private let environment: ServiceEnvironment

    /// - Parameter directory: Told of changes; `nil` where no requests are served.
    package init(store: any AppStore, keys: SigningKeys, directory: AppDirectory?, environment: ServiceEnvironment) {
        self.store = store
        self.keys = keys
        self.directory = directory
        self.environment = environment
    }

    package func apps() async throws -> [App] { try await store.apps() }

    /// Creates an app with fresh signing keys.
    ///
    /// - Parameters:
    ///   - id: `nil` makes a random one.
    ///   - configure: Sets what differs from the defaults, before anything is written.
    package func create(
        id: AppID?, name: String, configure: (inout App) throws -> Void = { _ in }
    ) async throws -> App {
        let now = environment.now()
        let trimmed = name.trimmed
        guard (1...100).contains(trimmed.count) else {
            throw Refusal.invalidField("name", "must have 1 to 100 characters")
        }
        var app = App(id: id ?? AppID(environment: environment), name: trimmed, createdAt: now)
        try configure(&app)
        try await requireFree(app.domains, for: app.id)
        var first: [StoredSigningKey] = []
        for purpose in [StoredSigningKey.Purpose.access, .challenge] {
            first.append(try await keys.make(app: app.id, purpose: purpose, algorithm: purpose.algorithm(of: app)))
        }
        guard try await store.perform(CreateApp(app, keys: first)) else {
            throw Refusal.conflict("there is an app \(app.id) already")
        }
        directory?.invalidate()
        return app
    }

    /// Changes what describes the app itself. Another algorithm gets a key, which signs once it is known everywhere.
    package func change(_ settings: AppSettingsChange, of id: AppID) async throws -> App {
        try await requireFree(settings.domains ?? [], for: id)
        let app = try await update(id) { app in
            try settings.apply(to: &app)
            return app
        }
        // Should this not be reached, the housekeeper sees the difference.
        if settings.signingAlgorithm != nil { try await keys.rotate(.access, of: id, reason: .schedule) }
        return app
    }

    /// A domain names one app.
    private func requireFree(_ domains: [String], for id: AppID) async throws {
        guard !domains.isEmpty else { return }
        let taken = Set(try await store.apps().filter { $0.id != id }.flatMap(\.domains))
        if let domain = domains.first(where: { taken.contains($0.lowercased()) }) {
            throw Refusal.conflict("domains has \(domain), which is another app's")
        }
    }

    package func app(_ id: AppID) async throws -> App {
        guard let app = try await store.app(id) else { throw Refusal.notFound("there is no app \(id)") }
        return app
    }

    /// Changes settings in one transaction; what the closure throws leaves them as they were.
    package func update<Answer: Sendable>(
        _ id: AppID, _ change: @escaping @Sendable (inout App) throws -> Answer
    ) async throws -> Answer {
        guard let answer = try await store.perform(UpdateApp(id, change)) else {
            throw Refusal.notFound("there is no app \(id)")
        }
        directory?.invalidate()
        return answer
    }
}
