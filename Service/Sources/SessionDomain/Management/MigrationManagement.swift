/// Reads and changes how users of an earlier system are migrated.
package struct MigrationManagement: Sendable {
    private let apps: AppManagement
    private let keys: HookKeys
    private let egress: any Egress
    private let environment: ServiceEnvironment

    init(apps: AppManagement, keys: HookKeys, egress: any Egress, environment: ServiceEnvironment) {
        self.apps = apps
        self.keys = keys
        self.egress = egress
        self.environment = environment
    }

    package func config(of app: AppID) async throws -> MigrationConfig {
        guard let config = try await apps.app(app).migration else {
            throw Refusal.notFound("migration is not configured")
        }
        return config
    }

    /// Creates the configuration. An app has at most one.
    package func create(sessionValidationURL url: String, app: AppID) async throws -> MigrationConfig {
        let config = try await validated(url, app: app)
        return try await apps.update(app) { app in
            guard app.migration == nil else { throw Refusal.conflict("migration is configured already") }
            app.migration = config
            return config
        }
    }

    package func replace(sessionValidationURL url: String, app: AppID) async throws -> MigrationConfig {
        let replacement = try await validated(url, app: app)
        return try await apps.update(app) { app in
            guard let existing = app.migration else { throw Refusal.notFound("migration is not configured") }
            var config = replacement
            config.createdAt = existing.createdAt
            app.migration = config
            return config
        }
    }

    /// Rejects a URL that `replace` would reject.
    package func check(_ url: String) throws(Refusal) { try egress.check(url, field: "session_validation_url") }

    private func validated(_ url: String, app: AppID) async throws -> MigrationConfig {
        _ = try await apps.app(app)
        try check(url)
        try await keys.ensure(app: app)
        return MigrationConfig(sessionValidationURL: url, at: environment.now())
    }
}
