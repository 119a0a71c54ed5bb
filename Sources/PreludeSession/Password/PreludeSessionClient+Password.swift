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

    /// Whether the access token carries the scope for `changePassword(_:)`.
    ///
    /// It sends a request only when the token has expired or a completed step-up waits for its refresh.
    ///
    /// - Throws: The errors of `refresh()`.
    public func canChangePassword() async throws -> Bool {
        try await engine.canChangePassword()
    }
}
