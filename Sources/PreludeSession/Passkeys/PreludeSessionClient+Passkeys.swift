extension PreludeSessionClient {
    // MARK: Passkeys

    /// Creates a passkey for the signed-in user. The system asks the user.
    ///
    /// It needs the scope `prld:passkey:write` for the session or longer, see
    /// `stepUp(scope:metadata:isolation:answer:ownStep:)`. Afterwards the access token is refreshed, if there is a
    /// network, because its claims may have changed.
    ///
    /// - Parameter options: The names of the account and of the passkey.
    /// - Returns: The passkey, and whether the service had it before.
    /// - Throws: `CancellationError` when the user cancels. `.insufficientScope` without the scope. `.forbidden` when
    ///   the device cannot use passkeys (`code` is `.passkeyNotSupported`), when the app has none
    ///   (`.passkeyNotConfigured`), and when it does not accept this kind of authenticator
    ///   (`.passkeyAuthenticatorBlocked`). `.invalidConfiguration` when the system has not loaded the association of
    ///   app and host yet (`.passkeyNotAssociated`), and for a blank user name. `.conflict` when the device has a
    ///   passkey of the user (`.passkeyAlreadyRegistered`). `.badRequest` when the authenticator fails or the service
    ///   rejects the passkey (`.passkeyRegistrationFailed`). `.expiredChallengeToken`
    ///   when the user answers too late. `.unauthorized` when no user is signed in, or another login or a logout came
    ///   between; `.network` and `.timeout` without a response.
    @discardableResult
    public func registerPasskey(_ options: RegisterPasskeyOptions) async throws -> PasskeyRegistrationResult {
        try await engine.registerPasskey(options)
    }

    /// Signs in with a passkey. The user types no name: the passkey says which account it is for.
    ///
    /// Before this returns, the session is stored and bound to the device key, as by `checkOTP(_:)`. If the app is
    /// killed after the service has accepted the passkey, the next login of the user with a passkey gets the same
    /// session.
    ///
    /// A second call, a registration or a step-up with a passkey cancels a call that waits for the user. So a login
    /// with `autofill` can wait while the user reads the screen, and a button for passkeys works meanwhile.
    ///
    /// - Parameter options: How passkeys are offered.
    /// - Returns: The user with a valid access token.
    /// - Throws: `CancellationError` when the user cancels. `.unauthorized` for a passkey that the service does not
    ///   accept (`field` is `assertion`), and when another login or a logout came between. `.expiredChallengeToken`
    ///   when the user answers too late. `.tokenReused` when a response was lost: try again. `.forbidden` for a user
    ///   who is not allowed to sign in, when the device cannot use passkeys (`code` is `.passkeyNotSupported`), and
    ///   when the app has no login with passkeys (`.passkeyNotConfigured`). `.invalidConfiguration` when the system has
    ///   not loaded the association of app and host yet (`.passkeyNotAssociated`). `.generic` when the authenticator
    ///   fails (`.passkeyFailed`). `.storageUnavailable` when the session cannot be stored; `.network` and `.timeout`
    ///   without a response.
    @discardableResult
    public func loginWithPasskey(_ options: PasskeyLoginOptions = PasskeyLoginOptions()) async throws -> PreludeUser {
        try await engine.login(options)
    }

    /// Lists the user's passkeys.
    ///
    /// - Returns: The passkeys, oldest first. Empty if there are none.
    /// - Throws: `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without
    ///   a response.
    public func listPasskeys() async throws -> [PasskeyCredential] {
        try await engine.passkeys()
    }

    /// Changes the name of a passkey in the user's list. The password manager does not show this name.
    ///
    /// - Parameters:
    ///   - id: The passkey, by `PasskeyCredential.credentialID`.
    ///   - nickname: The new name. The empty text removes the name.
    /// - Throws: `.notFound` for a passkey that the user does not have; `.insufficientScope` without a scope that the
    ///   service needs for it; `.invalidConfiguration` for an id that is not base64url; `.unauthorized` when no user is
    ///   signed in, or the session has ended; `.network` and `.timeout` without a response.
    public func renamePasskey(id: String, nickname: String) async throws {
        try await engine.renamePasskey(id: id, nickname: nickname)
    }

    /// Deletes a passkey on the service. From iOS 26 and macOS 26 on, the password manager stops offering it as well.
    ///
    /// Afterwards the access token is refreshed, if there is a network, because its claims may have changed.
    ///
    /// - Parameter id: The passkey, by `PasskeyCredential.credentialID`.
    /// - Throws: The errors of `renamePasskey(id:nickname:)`.
    public func deletePasskey(id: String) async throws {
        try await engine.deletePasskey(id: id)
    }

    /// Completes the step of a challenge that `expectsPasskey`. The system asks the user. After the last step it
    /// refreshes the session, so that the access token carries the scope.
    ///
    /// If only that refresh fails, for example with `.network`, the steps stay completed: the same call continues from
    /// there, without asking the user again.
    ///
    /// - Parameter challenge: The challenge in its last state.
    /// - Returns: The challenge of the next step; `nil` when the access token carries the scope.
    /// - Throws: `CancellationError` when the user cancels; the challenge stays open. `.forbidden` when the step cannot
    ///   be done with a passkey (`code` is `.passkeyStepUnavailable`), and when the device cannot use passkeys
    ///   (`.passkeyNotSupported`). `.unauthorized` for a passkey that the service does not accept, and when the user
    ///   signed out meanwhile. The errors of `loginWithPasskey(_:)` for the authenticator, and those of
    ///   `submitStepUpOTP(_:code:)` for the challenge.
    @discardableResult
    public func continueStepUpWithPasskey(_ challenge: StepUpChallenge) async throws -> StepUpChallenge? {
        try await engine.continueStepUpWithPasskey(challenge)
    }
}
