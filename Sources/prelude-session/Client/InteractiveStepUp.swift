import PreludeSession

/// Asks the user for the steps of a step-up until the scope is granted or denied.
struct InteractiveStepUp {
    let client: PreludeSessionClient

    /// The challenge accepts no other code. It is thrown only after the user has entered one, so the steps cannot start again
    /// without end.
    private struct ChallengeEnded: Error {}

    /// - Throws: `.forbidden` when the scope is denied.
    func obtain(_ scope: String, metadata: [String: String]? = nil) async throws {
        while true {
            do {
                return try await doSteps(for: scope, metadata)
            } catch is ChallengeEnded {
                Prompt.say("This step-up accepts no other code, so it starts again.")
            }
        }
    }

    private func doSteps(for scope: String, _ metadata: [String: String]?) async throws {
        let first = try await client.requestStepUp(scope: scope, metadata: metadata)
        guard first.status != .blocked else {
            throw PreludeSessionError.forbidden("the scope \(scope) is denied to you")
        }
        var challenge = first
        while !challenge.isCompleted {
            guard let next = try await doStep(of: challenge) else { return }
            challenge = next
        }
    }

    private func doStep(of challenge: StepUpChallenge) async throws -> StepUpChallenge? {
        guard challenge.expectsCode else {
            Prompt.say(
                "The step \((challenge.currentStep ?? "").escapedForTerminal) needs a verification token from the app's backend."
            )
            return try await client.continueStepUp(
                challenge, verificationToken: try Prompt.line("verification token"))
        }
        try await CodeResend(client: client).send { try await client.sendStepUpOTP(challenge) }
        Prompt.say("A code was sent to you\(Self.channel(of: challenge)).")
        return try await submitCode(for: challenge)
    }

    /// Describes how the code was sent, if the key of the step says it.
    private static func channel(of challenge: StepUpChallenge) -> String {
        switch challenge.currentStep {
        case "verify_sms": " by text message"
        case "verify_email": " by e-mail"
        default: ""
        }
    }

    private func submitCode(for challenge: StepUpChallenge) async throws -> StepUpChallenge? {
        while true {
            let code = try Prompt.line("code")
            do {
                return try await client.submitStepUpOTP(challenge, code: code)
            } catch let error as PreludeSessionError where error.needsNewCode {
                try await sendAnotherCode(for: challenge)
            } catch PreludeSessionError.invalidOTPCode {
                Prompt.say("The code is wrong. Enter it again.")
            }
        }
    }

    private func sendAnotherCode(for challenge: StepUpChallenge) async throws {
        do {
            try await CodeResend(client: client).send { try await client.sendStepUpOTP(challenge) }
        } catch let error as PreludeSessionError where error.needsNewCode {
            throw ChallengeEnded()
        } catch PreludeSessionError.invalidChallengeToken, PreludeSessionError.expiredChallengeToken {
            throw ChallengeEnded()
        }
        Prompt.say("This code can no longer be used. Another one was sent to you.")
    }
}
