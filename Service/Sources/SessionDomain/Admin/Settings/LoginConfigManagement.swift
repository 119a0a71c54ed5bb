/// Reads and changes the logins with a code of an app.
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
    package func check(_ login: OTPLoginConfig, in app: App) throws(Refusal) { try login.check(in: app, routes) }

    /// - Parameter login: It gets an id and times.
    package func createOTPLogin(_ login: OTPLoginConfig, app: AppID) async throws -> OTPLoginConfig {
        let (id, now) = (environment.newID("lcfg"), environment.now())
        return try await apps.update(app) { app in
            guard app.otpLogins.count < OTPLoginConfig.maximumPerApp else {
                throw Refusal.conflict("an app has at most \(OTPLoginConfig.maximumPerApp) OTP logins")
            }
            return try set(login, id: id, at: now, of: &app)
        }
    }

    package func replaceOTPLogin(
        _ id: String, app: AppID, _ change: @escaping @Sendable (inout OTPLoginConfig) throws -> Void
    ) async throws -> OTPLoginConfig {
        let now = environment.now()
        return try await apps.update(app) { app in
            guard var login = app.otpLogins.first(where: { $0.id == id }) else {
                throw Refusal.notFound("there is no such OTP login")
            }
            try change(&login)
            return try set(login, id: id, at: now, of: &app)
        }
    }

    private func set(
        _ settings: OTPLoginConfig, id: String, at now: Timestamp, of app: inout App
    ) throws(Refusal) -> OTPLoginConfig {
        try check(settings, in: app)
        var login = settings
        login.id = id
        login.touch(at: now)
        app.set(login)
        return login
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
