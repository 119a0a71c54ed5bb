/// The built-in app whose users are the operators of the console.
///
/// Its id is no valid app id, so no path, host, command or key can name it: the frontend API does not serve it, and the
/// management API can neither change nor delete it.
package enum OperatorApp {
    /// Seconds until a session of an operator ends, used or not.
    static let sessionLifetime = ConsoleSession.absoluteLifetime

    /// Creates the app unless it exists. Of two nodes that do so at once, one creates it.
    static func ensure(in apps: AppManagement, store: any AppStore, at now: Timestamp) async throws {
        guard try await store.app(.operators) == nil else { return }
        do {
            _ = try await apps.create(id: .operators, name: "Prelude Session console") { app in
                configure(&app, at: now)
            }
        } catch Refusal.conflict {
            // Another node has created it.
        }
    }

    private static func configure(_ app: inout App, at now: Timestamp) {
        app.signUp = false
        app.passwordLogin = PasswordLoginConfig(at: now)
        app.passwordLogin?.policy.minLength = 12
        app.otpLogins = [OTPLoginConfig(id: "lcfg_operators", channel: .email, isDefault: true, at: now)]
        app.sessions.idleLifetime = sessionLifetime
        app.sessions.absoluteLifetime = sessionLifetime
        app.sessions.maximumSessions = 20
        app.newIdentifierHold = 0
    }
}
