extension PreludeSessionClient {
    // MARK: Step-up

    /// Gets a scope, such as `transfer:write`, step by step. When it returns, the access token carries the scope.
    ///
    /// ```swift
    /// try await client.stepUp(scope: "transfer:write") { challenge, problem in
    ///     let text = await askForCode(problem?.message.text())
    ///     return text.isEmpty ? .resend : .code(text)
    /// }
    /// ```
    ///
    /// It requests the scope, sends the code of each step, and submits what `answer` returns. In a step with a passkey the
    /// system asks the user. It asks again after a typo, and
    /// after an error that can pass, such as `.network`. If the challenge has ended, for example after five wrong codes, it
    /// requests the scope again and sends another code. Without metadata it continues an open challenge for the scope, also
    /// after a relaunch.
    ///
    /// For a call to the app's backend use `data(for:isolation:stepUp:ownStep:)`, which steps up when the backend asks for
    /// it. For steps in a view of your own, use the calls below.
    ///
    /// - Parameters:
    ///   - scope: The scope, as configured for the app.
    ///   - metadata: As for `requestStepUp(scope:metadata:)`.
    ///   - isolation: Where the closures run: on the caller's actor.
    ///   - answer: Asks the user for the code of a challenge, whose `currentStep` says where it was sent. The problem is
    ///     `nil` when a code was just sent, else why the last answer did not help: show its `message`, and offer another code
    ///     if it `needsNewCode`. Throw `CancellationError` when the user cancels; the challenge then stays open. After 20
    ///     answers the last problem is thrown.
    ///   - ownStep: Returns the proof of a step of the app's own: a JWT of the app's backend, which confirms it.
    /// - Throws: `.forbidden` when the scope is denied, or the app does not offer it; `.invalidConfiguration` for a step of
    ///   the app's own without `ownStep`, and for a blank scope; `.unauthorized` when no user is signed in, or the user
    ///   signed out meanwhile; `.network` and `.timeout` without a response before the first code was sent; the errors of
    ///   `continueStepUpWithPasskey(_:)` in a step with a passkey; the errors of the closures.
    public func stepUp(
        scope: String, metadata: [String: String]? = nil, isolation: isolated (any Actor)? = #isolation,
        answer: (_ challenge: StepUpChallenge, _ problem: PreludeSessionError?) async throws -> StepUpAnswer,
        ownStep: ((StepUpChallenge) async throws -> String)? = nil
    ) async throws {
        try await StepUpSteps(client: self, scope: scope, metadata: metadata).run(answer: answer, ownStep: ownStep)
    }

    /// Requests a scope, such as `transfer:write`. The access token then carries it for a limited time.
    ///
    /// A scope that is granted at once is fetched by a refresh before this returns. The challenge's `isCompleted` is then
    /// `true`. For `prld:phone:register` and `prld:email:register`, `metadata["identifier"]` is the new value.
    ///
    /// - Parameters:
    ///   - scope: The scope, as configured for the app.
    ///   - metadata: Up to 5 entries for the app's backend that decides: keys of up to 12 characters, values of up to 32,
    ///     `identifier` of up to 320.
    /// - Returns: A challenge. Its `status` is `.blocked` when the scope is denied.
    /// - Throws: `.forbidden` when the app does not offer the scope, and when it needs a passkey and the user has none (`code`
    ///   is `.passkeyStepUnavailable`); `.badRequest` for metadata that is too long;
    ///   `.conflict` when the user has the maximum number of identifiers; `.invalidConfiguration` for a blank scope;
    ///   `.unauthorized` when no user is signed in; `.network` and `.timeout` without a response.
    @discardableResult
    public func requestStepUp(scope: String, metadata: [String: String]? = nil) async throws -> StepUpChallenge {
        try await engine.requestStepUp(scope: scope, metadata: metadata)
    }

    /// Sends the code of a challenge that `expectsCode`. Call it again to send it again, or a new one later.
    ///
    /// - Parameter challenge: The challenge in its last state.
    /// - Throws: `.invalidChallengeToken` when the challenge is blocked, belongs to another session, or cannot continue;
    ///   `.expiredChallengeToken` when it has expired; `.rateLimited` when the last code was sent less than 30 seconds
    ///   ago; `.network` and `.timeout` without a response.
    public func sendStepUpOTP(_ challenge: StepUpChallenge) async throws {
        try await engine.sendStepUpOTP(challenge)
    }

    /// Submits the code of a challenge's step. After the last step it refreshes the session, so that the access token
    /// carries the scope.
    ///
    /// If only that refresh fails, for example with `.network`, the steps stay completed: the same call, or `refresh()`,
    /// continues from there.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that `sendStepUpOTP(_:)` sent a code for.
    ///   - code: The digits, as the user typed them. Normalized as by `checkOTP(_:)`.
    /// - Returns: The challenge of the next step; `nil` when the access token carries the scope.
    /// - Throws: `.invalidOTPCode` for a wrong code, which can be retried with the same challenge unless the error's
    ///   `needsNewCode` is `true`;
    ///   `.invalidChallengeToken`, `.expiredChallengeToken` and `.tokenReused` when the challenge cannot continue: request
    ///   the scope again; `.conflict` when another user has the identifier that the last step would add (`code` is
    ///   `.identifierAlreadyExists`); `.invalidConfiguration` for a blank code; `.unauthorized` when the user signed out
    ///   meanwhile.
    @discardableResult
    public func submitStepUpOTP(_ challenge: StepUpChallenge, code: String) async throws -> StepUpChallenge? {
        try await engine.submitStepUpOTP(challenge, code: code)
    }

    /// Submits the proof of a step of the app's own. Otherwise the same as `submitStepUpOTP(_:code:)`.
    ///
    /// - Parameters:
    ///   - challenge: A challenge whose `expectsCode`, `expectsPasskey` and `isCompleted` are all false.
    ///   - verificationToken: A JWT of the app's backend, which confirms the step.
    /// - Returns: The challenge of the next step; `nil` when the access token carries the scope.
    /// - Throws: `.badRequest` for a rejected verification token, and the errors of `submitStepUpOTP(_:code:)`.
    @discardableResult
    public func continueStepUp(_ challenge: StepUpChallenge, verificationToken: String) async throws
        -> StepUpChallenge?
    {
        try await engine.continueStepUp(challenge, verificationToken: verificationToken)
    }

    /// The open challenge that changed last, also after a relaunch; `nil` if there is none.
    ///
    /// A challenge that `isCompleted` waits for the refresh that fetches its scope.
    public var activeStepUp: StepUpChallenge? { get async { await engine.activeStepUp() } }
}

/// What the user answers when asked for a code, see `PreludeSessionClient.stepUp(scope:metadata:isolation:answer:ownStep:)`.
public enum StepUpAnswer: Sendable, Hashable {
    /// The code, as the user typed it.
    case code(String)
    /// Send the code again, or a new one.
    case resend
}
