package import Foundation

/// The steps of a step-up, from one code to the next. Every way to step up takes them from here.
package struct StepUpSteps: Sendable {
    /// Where the steps wait for the user, or end.
    package enum Point: Sendable {
        /// The challenge waits for a code that was sent.
        ///
        /// - Parameter resendsAfter: Seconds until another one can be sent, if the code was sent before; else `nil`.
        case code(StepUpChallenge, resendsAfter: TimeInterval?)
        /// The access token carries the scope.
        case completed
    }

    package typealias Answer = (StepUpChallenge, PreludeSessionError?) async throws -> StepUpAnswer
    package typealias OwnStep = (StepUpChallenge) async throws -> String

    /// More answers than a user gives. A closure that returns the same wrong code for ever ends here.
    private static let maximumAnswers = 20

    private let client: PreludeSessionClient
    private let scope: String
    private let metadata: [String: String]?

    package init(client: PreludeSessionClient, scope: String, metadata: [String: String]?) {
        self.client = client
        self.scope = scope
        self.metadata = metadata
    }

    /// Does all steps.
    ///
    /// - Throws: The errors of `answer` and `ownStep`; `.forbidden` for a denied scope; the last problem after too many
    ///   answers.
    func run(
        isolation: isolated (any Actor)? = #isolation, answer: Answer, ownStep: OwnStep?
    ) async throws {
        var point = try await begin(ownStep: ownStep)
        let session = await client.sessionID
        var problem: PreludeSessionError?
        var answers = 0
        while case .code(let challenge, _) = point {
            if let problem, answers == Self.maximumAnswers { throw problem }
            let given = try await answer(challenge, problem)
            try Task.checkCancellation()
            answers += 1
            problem = nil
            var next: StepUpChallenge?
            do {
                switch given {
                case .code(let code): next = try await submit(code, for: challenge)
                case .resend: try await client.sendStepUpOTP(challenge)
                }
            } catch let error as PreludeSessionError where error.endsCodeEntry || error.canBeAnswered {
                problem = error
            }
            if problem?.endsCodeEntry == true {
                guard await client.sessionID == session else {
                    throw PreludeSessionError.unauthorized("a login or a logout ended this step-up")
                }
                point = try await begin(ownStep: ownStep)
            } else if problem == nil, case .code = given {
                point = try await proceed(from: next, ownStep: ownStep)
            }
        }
    }

    /// Requests the scope and does the steps up to the first code. An open challenge for the scope continues.
    ///
    /// - Throws: `.forbidden` for a denied scope.
    package func begin(isolation: isolated (any Actor)? = #isolation, ownStep: OwnStep?) async throws -> Point {
        if let open = await openChallenge() {
            do {
                return try await proceed(from: open, isContinued: true, ownStep: ownStep)
            } catch let error as PreludeSessionError where error.endsCodeEntry {
                // The open challenge has ended on the server meanwhile.
            }
        }
        let challenge = try await client.requestStepUp(scope: scope, metadata: metadata)
        return try await proceed(from: challenge, ownStep: ownStep)
    }

    /// Performs the step that a challenge is at, up to the next code.
    ///
    /// - Parameters:
    ///   - challenge: `nil` if there is no step left: the scope is granted.
    ///   - isContinued: Whether the challenge is of an earlier start, so that its code may have been sent.
    package func proceed(
        from challenge: StepUpChallenge?, isContinued: Bool = false, isolation: isolated (any Actor)? = #isolation,
        ownStep: OwnStep?
    ) async throws -> Point {
        guard let challenge else { return .completed }
        if challenge.status == .blocked {
            throw PreludeSessionError.forbidden(.init("the scope is denied", code: .authBlocked))
        }
        if challenge.isCompleted {
            try await client.refresh()
            return .completed
        }
        if challenge.expectsCode { return try await sendCode(of: challenge, isContinued: isContinued) }
        if challenge.expectsPasskey {
            return try await proceed(from: try await client.continueStepUpWithPasskey(challenge), ownStep: ownStep)
        }
        guard let ownStep else {
            throw PreludeSessionError.invalidConfiguration(
                "the step-up has a step of the app's own, but there is no ownStep")
        }
        let proof = try await ownStep(challenge)
        return try await proceed(
            from: try await client.continueStepUp(challenge, verificationToken: proof), ownStep: ownStep)
    }

    /// A challenge of an earlier start. With metadata it may be about another value, so it does not continue.
    private func openChallenge() async -> StepUpChallenge? {
        guard metadata == nil, let challenge = await client.activeStepUp else { return nil }
        return challenge.requestedScope == scope ? challenge : nil
    }

    private func sendCode(of challenge: StepUpChallenge, isContinued: Bool) async throws -> Point {
        do {
            try await client.sendStepUpOTP(challenge)
            return .code(challenge, resendsAfter: nil)
        } catch let error as PreludeSessionError {
            // A code was sent a moment ago, for example before a relaunch. It is still valid.
            guard isContinued, case .rateLimited = error, let seconds = error.retryAfter else { throw error }
            return .code(challenge, resendsAfter: seconds)
        }
    }

    private func submit(_ code: String, for challenge: StepUpChallenge) async throws -> StepUpChallenge? {
        // A blank code is a typo of the user here.
        try await client.submitStepUpOTP(challenge, code: try EnteredCode.checked(code))
    }
}

extension PreludeSessionError {
    /// Whether the login or the challenge that a code belongs to cannot continue.
    @_spi(Service) public var endsCodeEntry: Bool {
        switch self {
        case .unauthorized, .badRequest, .expiredChallengeToken, .invalidChallengeToken, .missingChallengeToken,
            .tokenReused, .deviceKeyLost:
            true
        default: false
        }
    }

    /// Whether the user can enter a code again, or ask for another one.
    fileprivate var canBeAnswered: Bool {
        switch self {
        case .invalidOTPCode, .rateLimited, .network, .timeout, .internalServerError: true
        default: false
        }
    }
}
