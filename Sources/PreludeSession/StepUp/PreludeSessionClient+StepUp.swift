extension PreludeSessionClient {
    // MARK: Step-up

    /// Asks for a scope, such as `transfer:write`, which the access token then carries for a while.
    ///
    /// A scope that is granted at once is fetched by a refresh before this returns; the challenge's `isCompleted` is then
    /// `true`. With `prld:phone:register` and `prld:email:register`, `metadata["identifier"]` is the new value.
    ///
    /// - Parameters:
    ///   - scope: The scope, as it is configured for the app.
    ///   - metadata: Up to 5 short texts for whoever decides: keys of up to 12, values of up to 32 characters, `identifier`
    ///     of up to 320.
    /// - Returns: A challenge whose `status` is `.blocked` when the scope is denied.
    /// - Throws: `.forbidden` when the app does not offer the scope; `.badRequest` for metadata that is too long;
    ///   `.conflict` for an identifier that is taken; `.invalidConfiguration` for a blank scope; `.unauthorized` when
    ///   nobody is signed in; `.network` and `.timeout` when there was no answer.
    public func requestStepUp(scope: String, metadata: [String: String]? = nil) async throws -> StepUpChallenge {
        try await engine.requestStepUp(scope: scope, metadata: metadata)
    }

    /// Sends the code of a challenge that `expectsCode`; again to send another one.
    ///
    /// - Parameter challenge: The challenge as it was last answered.
    /// - Throws: `.invalidChallengeToken` when the challenge is blocked, of another session, or over;
    ///   `.expiredChallengeToken` when its time is up; `.rateLimited` when the last code is too young; `.network` and
    ///   `.timeout` when there was no answer.
    public func sendStepUpOTP(_ challenge: StepUpChallenge) async throws {
        try await engine.sendStepUpOTP(challenge)
    }

    /// Hands in the code of a challenge's step. After the last step the session is refreshed, so that its access token
    /// carries the scope.
    ///
    /// When only that refresh fails, `.network` for example, the steps stay done: the same call again goes on from there,
    /// and so does `refresh()`.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that `sendStepUpOTP(_:)` sent a code for.
    ///   - code: The digits, as the user typed them.
    /// - Returns: The challenge of the next step; `nil` when the scope is here.
    /// - Throws: `.invalidOTPCode` for a wrong code, which can be tried again with the same challenge;
    ///   `.invalidChallengeToken`, `.expiredChallengeToken` and `.tokenReused` when the challenge cannot go on: request
    ///   the scope again; `.invalidConfiguration` for a blank code; `.unauthorized` when the user signed out meanwhile.
    public func submitStepUpOTP(_ challenge: StepUpChallenge, code: String) async throws -> StepUpChallenge? {
        try await engine.submitStepUpOTP(challenge, code: code)
    }

    /// Hands in the proof of a step of the app's own; otherwise as `submitStepUpOTP(_:code:)`.
    ///
    /// - Parameters:
    ///   - challenge: One that neither `expectsCode` nor `isCompleted`: its `currentStep` is a key of the app's own.
    ///   - verificationToken: A JWT of the app's backend, which says that the step is done.
    /// - Returns: The challenge of the next step; `nil` when the scope is here.
    /// - Throws: `.badRequest` for a verification token that is not accepted; else as `submitStepUpOTP(_:code:)`.
    public func continueStepUp(_ challenge: StepUpChallenge, verificationToken: String) async throws
        -> StepUpChallenge?
    {
        try await engine.continueStepUp(challenge, verificationToken: verificationToken)
    }

    /// The open challenge that moved last, also after a relaunch; `nil` when there is none, or none any more.
    ///
    /// One that `isCompleted` still waits for the refresh that brings its scope.
    public var activeStepUp: StepUpChallenge? { get async { await engine.activeStepUp() } }
}
