import SessionDomain

/// The app of development mode. All logins are on, and the scopes of the tutorials have rules.
enum DevelopmentApp {
    static let name = "Development"

    static let id: AppID? = AppID("devapp1")

    /// The scope of the tutorials beside the reserved one for a change of the password.
    static let transferScope = "transfer:write"

    /// The OTP login for a forgotten password, which grants the change of the password.
    static let resetLoginID = "lcfg_reset"

    /// Creates the app unless it exists. An app of an earlier version gets the rules of the tutorials.
    static func ensure(in service: SessionService) async throws {
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
                app.developmentTokens = true
            }
            return
        }
        // A configuration cannot be removed, so without one the app never had rules.
        guard existing.stepUp == nil else { return }
        try await service.apps.update(id) { app in
            if app.stepUp == nil { addTutorialRules(to: &app, at: now) }
        }
    }

    private static func addTutorialRules(to app: inout App, at now: Timestamp) {
        let changePassword = GrantTerms(mode: .singleUse, grantedFor: 300)
        let transfer = GrantTerms(mode: .sessionBound, grantedFor: 300)
        app.stepUp = StepUpConfig(
            jwksURL: nil, stepKeys: [],
            rules: rules(for: ReservedScope.writePassword, changePassword) + rules(for: transferScope, transfer),
            at: now)
        app.scopes += [ReservedScope.writePassword, transferScope].filter { !app.scopes.contains($0) }
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
