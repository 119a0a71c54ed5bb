import SessionDomain

/// The app of development mode. All logins are on.
@available(service, *)
enum DevelopmentApp {
    static let name = "Development"

    static let id: AppID? = AppID("devapp1")

    /// Creates the app unless it exists.
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
}
