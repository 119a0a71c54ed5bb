extension PreludeSessionClient {
    // MARK: Signing in

    /// Sends a code to a phone number or an e-mail address. Submit the code with `checkOTP(_:)`.
    ///
    /// The login is bound to this client by PKCE (RFC 7636 §4). It is stored, so after a relaunch `pendingLogin` has it, and
    /// `checkOTP(_:)` and `resendOTP()` continue it. A login, a logout, another start and its expiry end it.
    ///
    /// - Parameter options: The recipient and the login configuration.
    /// - Throws: `.badRequest` for an invalid identifier, or one that the app sends no codes to; `.rateLimited` for too many
    ///   requests, see `PreludeSessionError.retryAfter`; `.network` and `.timeout` without a response.
    public func startOTPLogin(_ options: StartOTPLoginOptions) async throws {
        try await engine.startOTP(options)
    }

    /// The login that waits for its code, also after a relaunch; `nil` if there is none, or the store cannot be read now.
    ///
    /// Show the screen for the code instead of the login if there is one.
    public var pendingLogin: StartOTPLoginOptions? {
        get async { (try? await engine.loginInProgress())?.options }
    }

    /// Sends the code of the started login again, or a new one when the first half of its life is over.
    ///
    /// A code that was sent before stays valid until it expires or its checks are used up.
    ///
    /// - Throws: `.unauthorized` when no login was started, and `.badRequest` when it has expired: both with `needsNewCode`;
    ///   `.rateLimited` when the last code was sent less than 30 seconds ago; `.storageUnavailable` when a login of an earlier
    ///   launch cannot be read now; `.network` and `.timeout` without a response.
    public func resendOTP() async throws {
        try await engine.resendOTP()
    }

    /// Signs in with a code.
    ///
    /// Before this returns, the session is stored and bound to the device key (RFC 9449 §5). If a response was lost, or the app
    /// was killed before the end, the same code continues the login, and no second session begins.
    ///
    /// - Parameter code: The digits, as the user typed them: spaces and punctuation are removed, and digits of other scripts, such
    ///   as full-width ones, are replaced.
    /// - Returns: The user with a valid access token.
    /// - Throws: `.invalidOTPCode` for a wrong code, which can be retried unless the error's `needsNewCode` is `true`;
    ///   `.unauthorized` when no login was started, or when another login or a logout came between; `.badRequest` when the
    ///   started login has ended; `.forbidden` for a user who is not allowed to sign in; `.storageUnavailable` when the
    ///   session cannot be stored, or a login of an earlier launch cannot be read; `.network` and `.timeout` without a response.
    ///   Then call it again with the same code.
    @discardableResult
    public func checkOTP(_ code: String) async throws -> PreludeUser {
        try await engine.checkOTP(code)
    }

    /// Signs in with a password. The password is not stored and not printed.
    ///
    /// If only the second half fails, or the app is killed before the end, another call with the password gets the session that the
    /// first one may have started. No second session begins.
    ///
    /// - Parameter options: The e-mail address and the password.
    /// - Returns: The user with a valid access token.
    /// - Throws: `.unauthorized` for wrong credentials, or when another login or a logout came between; `.forbidden` for a
    ///   user who is not allowed to sign in; `.rateLimited` after too many tries; `.storageUnavailable` when the session
    ///   cannot be stored; `.network` and `.timeout` without a response.
    @discardableResult
    public func loginWithPassword(_ options: LoginWithPasswordOptions) async throws -> PreludeUser {
        try await engine.login(options)
    }

    /// Signs in with a credential of the app's previous system, so that its users need not sign in again.
    ///
    /// Concurrent callers with the same token share one exchange and its result. If only the second half fails, for example
    /// without a network, or the app is killed before the end, another call with the same token continues from there.
    ///
    /// - Parameter options: The old credential.
    /// - Returns: The user with a valid access token.
    /// - Throws: `.unauthorized` for a rejected credential, or when another login or a logout came between; `.badRequest` when
    ///   the app has no migration; `.forbidden` when its backend failed, or the user is not allowed to sign in;
    ///   `.invalidConfiguration` for a blank token; `.network` and `.timeout` without a response.
    @discardableResult
    public func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        try await engine.migrate(options)
    }
}
