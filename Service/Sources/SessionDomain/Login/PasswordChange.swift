/// Changes the caller's password, under the scope `prld:pwd:write`.
package struct PasswordChange: Sendable {
    private let store: any StepUpStore
    private let hasher: any PasswordHasher
    private let environment: ServiceEnvironment

    package init(store: any StepUpStore, hasher: any PasswordHasher, environment: ServiceEnvironment) {
        self.store = store
        self.hasher = hasher
        self.environment = environment
    }

    /// Stores a new password and consumes the grant in one transaction. A password that breaks a rule consumes nothing.
    ///
    /// - Throws: `Refusal.insufficientScope`, `.invalidPassword`.
    package func change(to password: String, by caller: SignedIn, app: AppRuntime) async throws {
        guard caller.claims.has(scope: ReservedScope.writePassword) else {
            throw Refusal.insufficientScope(ReservedScope.writePassword)
        }
        let now = environment.now()
        let grants = try await store.grants(of: caller.user.id, app: app.settings.id, liveAt: now)
        // Hashing is costly. This check saves the work if the grant is gone; the transaction below decides.
        guard grants.contains(where: { $0.scope == ReservedScope.writePassword && $0.covers(caller.session, at: now) })
        else { throw Refusal.insufficientScope(ReservedScope.writePassword) }
        try NewPasswordRules(app: app.settings, identifiers: caller.user.identifiers).check(password)
        let outcome = try await store.perform(
            ChangePassword(
                appID: app.settings.id, sessionID: caller.session.id,
                passwordHash: try await hasher.hash(password, app: app.settings.id),
                endsOtherSessions: app.settings.passwordChangeEndsOtherSessions, now: environment.now(),
                events: EventFactory(appID: app.settings.id, environment: environment),
                notices: NoticeFactory(app.settings, environment: environment)))
        if outcome == .insufficientScope { throw Refusal.insufficientScope(ReservedScope.writePassword) }
    }
}
