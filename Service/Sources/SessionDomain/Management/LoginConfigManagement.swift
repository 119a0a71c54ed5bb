/// Reads and changes the login configurations of an app.
package struct LoginConfigManagement: Sendable {
    private let apps: AppManagement
    private let routes: ConfiguredRoutes
    private let environment: ServiceEnvironment

    /// - Parameter routes: The routes of the service.
    init(apps: AppManagement, routes: ConfiguredRoutes, environment: ServiceEnvironment) {
        self.apps = apps
        self.routes = routes
        self.environment = environment
    }

    // MARK: Password login

    /// The configuration, and the limits of the app that its API shows, too.
    package typealias PasswordLoginSettings = (config: PasswordLoginConfig, limits: OTPLimits)

    package func passwordLogin(of app: AppID) async throws -> PasswordLoginSettings {
        let app = try await apps.app(app)
        guard let config = app.passwordLogin else { throw Refusal.notFound("password login is not configured") }
        return (config, app.otpLimits)
    }

    /// Creates the configuration. An app has at most one.
    package func createPasswordLogin(_ change: PasswordLoginChange, app: AppID) async throws -> PasswordLoginSettings {
        try change.validate()
        let now = environment.now()
        return try await apps.update(app) { app in
            guard app.passwordLogin == nil else { throw Refusal.conflict("password login is configured already") }
            let config = change.applied(to: PasswordLoginConfig(at: now))
            app.passwordLogin = config
            change.apply(to: &app.otpLimits)
            return (config, app.otpLimits)
        }
    }

    /// Replaces the configuration. Members that the change leaves out get their defaults; limits stay as they are.
    package func replacePasswordLogin(_ change: PasswordLoginChange, app: AppID) async throws -> PasswordLoginSettings {
        try change.validate()
        let now = environment.now()
        return try await apps.update(app) { app in
            guard let existing = app.passwordLogin else {
                throw Refusal.notFound("password login is not configured")
            }
            var config = change.applied(to: PasswordLoginConfig(at: now))
            config.createdAt = existing.createdAt
            app.passwordLogin = config
            change.apply(to: &app.otpLimits)
            return (config, app.otpLimits)
        }
    }

    // MARK: OTP login

    package func otpLogins(of app: AppID) async throws -> [OTPLoginConfig] {
        try await apps.app(app).otpLogins
    }

    package func otpLogin(_ id: String, app: AppID) async throws -> OTPLoginConfig {
        guard let config = try await otpLogins(of: app).first(where: { $0.id == id }) else {
            throw Refusal.notFound("there is no such OTP login")
        }
        return config
    }

    /// Rejects what creating or replacing a login would reject.
    package func check(_ change: OTPLoginChange, in app: App) throws(Refusal) { try change.check(in: app, routes) }

    package func createOTPLogin(_ change: OTPLoginChange, app: AppID) async throws -> OTPLoginConfig {
        try change.validate()
        let routes = routes
        let now = environment.now()
        let id = environment.newID("lcfg")
        return try await apps.update(app) { app in
            guard app.otpLogins.count < OTPLoginChange.maximumPerApp else {
                throw Refusal.conflict("an app has at most \(OTPLoginChange.maximumPerApp) OTP logins")
            }
            try change.check(in: app, routes)
            let config = change.applied(to: OTPLoginConfig(id: id, channel: change.channel, isDefault: false, at: now))
            app.set(config)
            return config
        }
    }

    package func replaceOTPLogin(_ id: String, _ change: OTPLoginChange, app: AppID) async throws -> OTPLoginConfig {
        try change.validate()
        let (routes, now) = (routes, environment.now())
        return try await apps.update(app) { app in
            guard let index = app.otpLogins.firstIndex(where: { $0.id == id }) else {
                throw Refusal.notFound("there is no such OTP login")
            }
            try change.check(in: app, routes)
            var config = change.applied(to: OTPLoginConfig(id: id, channel: change.channel, isDefault: false, at: now))
            config.createdAt = app.otpLogins[index].createdAt
            app.set(config)
            return config
        }
    }

    package func deleteOTPLogin(_ id: String, app: AppID) async throws {
        try await apps.update(app) { app in
            guard app.otpLogins.contains(where: { $0.id == id }) else {
                throw Refusal.notFound("there is no such OTP login")
            }
            app.otpLogins.removeAll { $0.id == id }
        }
    }
}
