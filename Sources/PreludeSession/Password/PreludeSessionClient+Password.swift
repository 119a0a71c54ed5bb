extension PreludeSessionClient {
    /// Changes the user's password. Needs the scope `prld:pwd:write`, see `requestStepUp(scope:metadata:)`, which is spent
    /// with it; a password that is refused leaves the scope as it is.
    ///
    /// The access token at hand is dropped afterwards and a new one fetched, if there is a connection.
    ///
    /// - Parameter password: The new password, by the app's rules: see `validatePassword(_:)`.
    /// - Throws: `.insufficientScope` without the scope; `.invalidPassword` for a password that does not meet the app's
    ///   rules; `.unauthorized` when nobody is signed in, or no longer; `.network` and `.timeout` when there was no answer.
    public func changePassword(_ password: RedactedString) async throws {
        try await engine.changePassword(password)
    }

    /// Whether the access token carries the scope for `changePassword(_:)`. Asks the server only when the token is spent or
    /// a completed step-up waits for its refresh.
    ///
    /// - Throws: As `refresh()`.
    public func canChangePassword() async throws -> Bool {
        try await engine.canChangePassword()
    }
}
