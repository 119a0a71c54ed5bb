import SessionDomain
import SessionTokens

/// The app of development mode. All logins are on, and the scopes of the tutorials have rules.
enum DevelopmentApp {
    static let name = "Development"

    static let id: AppID? = AppID("devapp1")

    /// The scope of the tutorials beside the reserved ones, for a change of the password and of passkeys.
    static let transferScope = "transfer:write"

    /// The OTP login for a forgotten password, which grants the change of the password.
    static let resetLoginID = "lcfg_reset"

    /// Creates the app unless it exists. An app of an earlier version gets the rules of the tutorials, and passkeys.
    ///
    /// - Parameter origins: The origins of the service.
    static func ensure(in service: SessionService, at origins: PublicOrigins) async throws {
        guard let id else { return }
        let now = service.environment.now()
        guard let existing = try await service.store.app(id) else {
            _ = try await service.apps.create(id: id, name: name) { app in
                app.passwordLogin = PasswordLoginConfig(at: now)
                app.otpLogins = OTPLoginConfig.Channel.allCases.map { channel in
                    OTPLoginConfig(
                        id: service.environment.newID("lcfg"), channel: channel, isDefault: true, at: now)
                }
                addTutorialRules(to: &app, at: now)
                app.passkeys = passkeys(of: app, at: origins, now: now)
                app.developmentTokens = true
            }
            return
        }
        // A configuration cannot be removed, so without one the app never had rules or passkeys.
        let config = passkeys(of: existing, at: origins, now: now)
        guard existing.stepUp == nil || existing.passkeys == nil && config != nil else { return }
        try await service.apps.update(id) { app in
            if app.stepUp == nil { addTutorialRules(to: &app, at: now) }
            if app.passkeys == nil { app.passkeys = config }
        }
    }

    /// Passkeys for pages of this machine. Browsers accept the RP id `localhost` at this host only, not at 127.0.0.1.
    ///
    /// - Returns: `nil` if apps reach the service at another machine.
    static func passkeys(of app: App, at origins: PublicOrigins, now: Timestamp) -> PasskeyConfig? {
        let all = origins.origins(of: app).compactMap { TargetURI($0) }
        guard let main = all.first, IPNetwork.isLoopback(host: main.host) else { return nil }
        var config = PasskeyConfig()
        config.relyingPartyID = "localhost"
        config.allowedOrigins = Set(all.filter { $0.host == "localhost" }.map(\.origin)).sorted()
        (config.createdAt, config.updatedAt) = (now, now)
        return config
    }

    private static func addTutorialRules(to app: inout App, at now: Timestamp) {
        let changePassword = GrantTerms(mode: .singleUse, grantedFor: 300)
        let forSession = GrantTerms(mode: .sessionBound, grantedFor: 300)
        app.stepUp = StepUpConfig(
            jwksURL: nil, stepKeys: [],
            rules: rules(for: ReservedScope.writePassword, changePassword)
                + rules(for: ReservedScope.writePasskey, forSession) + rules(for: transferScope, forSession),
            at: now)
        app.scopes += [ReservedScope.writePassword, ReservedScope.writePasskey, transferScope]
            .filter { !app.scopes.contains($0) }
        // Without another login by e-mail, this one would be the default.
        guard app.otpLogins.contains(where: { $0.channel == .email && $0.isDefault }),
            !app.otpLogins.contains(where: { $0.id == resetLoginID })
        else { return }
        var reset = OTPLoginConfig(id: resetLoginID, channel: .email, isDefault: false, at: now)
        reset.grantedScopes = [ReservedScope.writePassword]
        app.otpLogins.append(reset)
    }

    /// A code to the user's address or, without one, to the phone number.
    private static func rules(for scope: String, _ terms: GrantTerms) -> [ScopeRule] {
        [IdentifierType.emailAddress, .phoneNumber].map { type in
            let step = StepUpStep(order: 1, key: StepUpStep.key(for: type), expirationDuration: 600)
            return ScopeRule(scope: scope, mode: .direct([type], .review(terms, steps: [step])))
        }
    }
}
