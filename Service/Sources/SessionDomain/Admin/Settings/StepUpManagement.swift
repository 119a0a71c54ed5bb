/// Reads and changes the scopes of an app and its step-up configuration.
package struct StepUpManagement: Sendable {
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

    // MARK: Step-up

    package func config(of app: AppID) async throws -> StepUpConfig {
        guard let config = try await apps.app(app).stepUp else { throw Refusal.notFound("step-up is not configured") }
        return config
    }

    /// Creates the configuration. An app has at most one.
    package func create(_ change: StepUpConfigChange, app: AppID) async throws -> StepUpConfig {
        let config = try change.validated(egress: egress, at: environment.now())
        try await prepareKeys(for: config, app: app)
        return try await apps.update(app) { app in
            guard app.stepUp == nil else { throw Refusal.stepUpConfigExists }
            app.stepUp = config
            return config
        }
    }

    /// Replaces the whole configuration. Grants and open challenges of removed scopes are deleted.
    package func replace(_ change: StepUpConfigChange, app: AppID) async throws -> StepUpConfig {
        let validated = try change.validated(egress: egress, at: environment.now())
        try await prepareKeys(for: validated, app: app)
        return try await apps.update(app) { app in
            guard let existing = app.stepUp else { throw Refusal.notFound("step-up is not configured") }
            var config = validated
            config.createdAt = existing.createdAt
            app.stepUp = config
            return config
        }
    }

    /// Replaces the rules of one scope and registers it. Creates the configuration if there is none.
    ///
    /// - Parameter rules: Rules for this scope only.
    package func setRules(
        _ rules: [StepUpConfigChange.AllowedScope], for scope: String, app: AppID
    ) async throws -> StepUpConfig {
        let (egress, now) = (egress, environment.now())
        let changed: @Sendable (App) throws -> StepUpConfig = { app in
            // The rules of other scopes were validated by earlier calls, perhaps with other rules for URLs.
            let change = StepUpConfigChange(jwksURL: nil, stepKeys: [], allowedScopes: rules)
            let new = try change.validated(egress: egress, at: now).rules
            var config = app.stepUp ?? StepUpConfig(jwksURL: nil, stepKeys: [], rules: [], at: now)
            config.rules = config.rules.filter { $0.scope != scope } + new
            guard config.rules.count <= StepUpConfigChange.maximumRules else {
                throw Refusal.conflict("an app has at most \(StepUpConfigChange.maximumRules) rules")
            }
            config.updatedAt = now
            return config
        }
        return try await apply(changed, registering: scope, app: app)
    }

    /// Adds a rule after the others, or puts it in the place of one, and registers its scope. Creates the configuration if
    /// there is none.
    ///
    /// - Parameter id: The rule that is replaced (`ScopeRule.id`).
    /// - Throws: `Refusal.invalidField` with names below `rule`; `.notFound` if the rule to replace was changed or removed.
    package func setRule(
        _ rule: StepUpConfigChange.AllowedScope, replacing id: String? = nil, app: AppID
    ) async throws -> StepUpConfig {
        try await apply(
            { [self] app in try config(of: app, setting: rule, replacing: id) }, registering: rule.scope, app: app)
    }

    /// The configuration that `setRule` stores.
    package func config(
        of app: App, setting rule: StepUpConfigChange.AllowedScope, replacing id: String? = nil
    ) throws -> StepUpConfig {
        let now = environment.now()
        var config = app.stepUp ?? StepUpConfig(jwksURL: nil, stepKeys: [], rules: [], at: now)
        let place = try id.map { try config.place(of: $0) }
        if let place { config.rules.remove(at: place) }
        let new = try rule.validated(field: "rule", beside: config, egress: egress)
        config.rules.insert(new, at: place ?? config.rules.count)
        guard config.rules.count <= StepUpConfigChange.maximumRules else {
            throw Refusal.conflict("an app has at most \(StepUpConfigChange.maximumRules) rules")
        }
        config.updatedAt = now
        return config
    }

    /// Moves a rule above the previous one of its scope, so that it is tried first. The first rule stays where it is.
    ///
    /// - Throws: `Refusal.notFound` if the rule was changed or removed.
    package func raiseRule(_ id: String, app: AppID) async throws -> StepUpConfig {
        try await apps.update(app) { [self] app in
            let config = try config(of: app, raising: id)
            app.stepUp = config
            return config
        }
    }

    /// The configuration that `raiseRule` stores.
    package func config(of app: App, raising id: String) throws -> StepUpConfig {
        guard var config = app.stepUp else { throw Refusal.notFound("step-up is not configured") }
        let place = try config.place(of: id)
        let scope = config.rules[place].scope
        if let previous = config.rules[..<place].lastIndex(where: { $0.scope == scope }) {
            config.rules.swapAt(place, previous)
            config.updatedAt = environment.now()
        }
        return config
    }

    /// Removes one rule. The scope loses its grants and open challenges, and stays registered.
    ///
    /// - Throws: `Refusal.notFound` if the rule was changed or removed.
    package func removeRule(_ id: String, app: AppID) async throws -> StepUpConfig {
        let now = environment.now()
        return try await apps.update(app) { app in
            guard var config = app.stepUp else { throw Refusal.notFound("step-up is not configured") }
            config.rules.remove(at: try config.place(of: id))
            config.updatedAt = now
            app.stepUp = config
            return config
        }
    }

    /// Replaces the keys of custom steps, and the URL of the keys that sign them. Creates the configuration if there is none.
    ///
    /// - Throws: `Refusal.invalidField` also for a missing key that a rule uses.
    package func setCustomSteps(_ stepKeys: [String], jwksURL: String?, app: AppID) async throws -> StepUpConfig {
        let change = StepUpConfigChange(jwksURL: jwksURL, stepKeys: stepKeys, allowedScopes: [])
        let new = try change.validated(egress: egress, at: environment.now())
        return try await apps.update(app) { app in
            var config = app.stepUp ?? new
            config.jwksURL = new.jwksURL
            config.stepKeys = new.stepKeys
            config.updatedAt = new.updatedAt
            for rule in config.rules {
                guard case .direct(_, .review(_, let steps)) = rule.mode else { continue }
                guard let unknown = steps.first(where: { !config.knows(stepKey: $0.key) }) else { continue }
                throw Refusal.invalidField("step_keys", "must contain \(unknown.key): a rule for \(rule.scope) uses it")
            }
            app.stepUp = config
            return config
        }
    }

    /// Stores a changed configuration and registers its scope. The hook key exists before it is needed.
    private func apply(
        _ changed: @escaping @Sendable (App) throws -> StepUpConfig, registering scope: String, app: AppID
    ) async throws -> StepUpConfig {
        try await prepareKeys(for: try changed(try await apps.app(app)), app: app)
        return try await apps.update(app) { app in
            let config = try changed(app)
            try Self.register(scope, in: &app)
            app.stepUp = config
            return config
        }
    }

    /// Removes the rules of one scope with its grants and open challenges. The scope stays registered.
    package func removeRules(for scope: String, app: AppID) async throws -> StepUpConfig {
        let now = environment.now()
        return try await apps.update(app) { app in
            guard var config = app.stepUp, config.rules.contains(where: { $0.scope == scope }) else {
                throw Refusal.notFound("there is no rule for this scope")
            }
            config.rules.removeAll { $0.scope == scope }
            config.updatedAt = now
            app.stepUp = config
            return config
        }
    }

    /// Creates the hook key before the first call, so that it is published when backends verify the call.
    private func prepareKeys(for config: StepUpConfig, app: AppID) async throws {
        _ = try await apps.app(app)
        let isDelegating = config.rules.contains { if case .delegated = $0.mode { true } else { false } }
        if isDelegating { try await keys.ensure(app: app) }
    }

    // MARK: Scopes

    /// The maximum number of scopes of one app.
    private static let maximumScopes = 200

    package func scopes(of app: AppID) async throws -> [String] { try await apps.app(app).scopes }

    /// Registers a scope. A repeated call has no effect.
    package func register(_ scope: String, app: AppID) async throws {
        guard Scope.isWellFormed(scope) else {
            throw Refusal.invalidField("scope", "must be 1 to 128 letters, digits and . - _ :")
        }
        try await apps.update(app) { try Self.register(scope, in: &$0) }
    }

    private static func register(_ scope: String, in app: inout App) throws(Refusal) {
        guard !app.scopes.contains(scope) else { return }
        guard app.scopes.count < maximumScopes else {
            throw .conflict("an app has at most \(maximumScopes) scopes")
        }
        app.scopes.append(scope)
    }

    /// Removes a scope with its grants and open challenges. No later token contains it.
    package func unregister(_ scope: String, app: AppID) async throws {
        try await apps.update(app) { app in
            guard app.scopes.contains(scope) else { throw Refusal.notFound("there is no such scope") }
            app.scopes.removeAll { $0 == scope }
        }
    }
}
