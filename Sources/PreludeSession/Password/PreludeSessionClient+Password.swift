extension PreludeSessionClient {
    // MARK: Passwords

    /// The app's current rules for passwords. Needs no signed-in user.
    ///
    /// - Throws: `.network` and `.timeout` without a response.
    public func passwordCompliancy() async throws -> PreludePasswordCompliancy {
        try await engine.passwordCompliancy()
    }

    /// Fetches the app's rules and checks a password against them. The password is not sent.
    ///
    /// - Throws: The errors of `passwordCompliancy()`.
    public func validatePassword(_ password: String) async throws -> PreludePasswordCompliancyResults {
        Self.validate(password: password, against: try await passwordCompliancy())
    }

    /// Checks a password against rules without a request. It counts Unicode scalars by general category.
    ///
    /// - Parameters:
    ///   - password: The password, as the user typed it.
    ///   - compliancy: The rules, from `passwordCompliancy()`.
    public static func validate(
        password: String, against compliancy: PreludePasswordCompliancy
    ) -> PreludePasswordCompliancyResults {
        compliancy.check(password)
    }

    /// Changes the user's password. It needs the scope `prld:pwd:write`, see `requestStepUp(scope:metadata:)`.
    ///
    /// A successful change uses the scope up. A rejected password does not. Afterwards the access token is refreshed, if
    /// there is a network.
    ///
    /// - Parameter password: The new password. For the app's rules see `validatePassword(_:)`.
    /// - Throws: `.insufficientScope` without the scope; `.invalidPassword` for a password that does not meet the app's
    ///   rules; `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a
    ///   response.
    public func changePassword(_ password: RedactedString) async throws {
        try await engine.changePassword(password)
    }

    /// Signs in with a code and sets a new password, for a user who has forgotten the old one.
    ///
    /// First send a code with `startOTPLogin(_:)` and the id of a login configuration that grants `prld:pwd:write`. The new
    /// password is checked against the app's rules before the code is used.
    ///
    /// If this throws after the code was accepted, the user is signed in and the old password is still valid. Then call it
    /// again with the same code, and with another password after `.invalidPassword`: the code is not checked again. The scope
    /// lasts 10 minutes. The client keeps the code in memory only: after a relaunch begin with a new code.
    ///
    /// - Parameters:
    ///   - code: The digits, as the user typed them.
    ///   - newPassword: The new password.
    /// - Returns: The user with a valid access token. The service revokes the user's other sessions, unless the app's
    ///   settings keep them.
    /// - Throws: `.invalidPassword` for a password that does not meet the app's rules; `.invalidOTPCode` for a wrong code;
    ///   `.insufficientScope` when the login configuration does not grant the scope: the user is signed in, so continue with
    ///   `requestStepUp(scope:metadata:)` and `changePassword(_:)`; the errors of `checkOTP(_:)`.
    @discardableResult
    public func resetPassword(code: String, newPassword: RedactedString) async throws -> PreludeUser {
        try await engine.resetPassword(code: code, to: newPassword)
    }

    /// Whether the access token carries the scope for `changePassword(_:)`.
    ///
    /// It sends a request only when the token has expired or a completed step-up waits for its refresh.
    ///
    /// - Throws: The errors of `refresh()`.
    public func canChangePassword() async throws -> Bool {
        try await engine.canChangePassword()
    }
}
