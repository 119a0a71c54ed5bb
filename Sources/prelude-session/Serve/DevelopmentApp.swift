import SessionDomain

/// The app that development mode starts with: everything on, so that the first try works.
enum DevelopmentApp {
    static let name = "Development"
    static let managementKeyName = "development"

    static let id: AppID? = AppID("devapp1")

    /// Makes the app unless it is there.
    static func ensure(in service: SessionService) async throws {
        guard let id else { return }
        guard try await service.store.app(id) == nil else { return }
        let now = service.environment.now()
        _ = try await service.apps.create(id: id, name: name) { app in
            app.passwordLogin = PasswordLoginConfig(at: now)
            app.otpLogins = OTPLoginConfig.Channel.allCases.map { channel in
                OTPLoginConfig(
                    id: service.environment.newID("lcfg"), channel: channel, isDefault: true, at: now)
            }
        }
    }

    /// A key for this start: the configured one, or a new one in place of the last start's.
    static func managementKey(configured: String?, in service: SessionService) async throws -> String? {
        if let configured {
            try await service.managementKeys.ensure(secret: configured, name: "configured")
            return nil
        }
        for key in try await service.managementKeys.all() where key.name == managementKeyName {
            try await service.managementKeys.revoke(id: key.id)
        }
        return try await service.managementKeys.create(name: managementKeyName, app: nil).secret
    }
}
