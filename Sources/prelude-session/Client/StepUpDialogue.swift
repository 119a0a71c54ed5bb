import PreludeSession

/// Leads through the steps of a step-up until the scope is granted or denied.
struct StepUpDialogue {
    let client: PreludeSessionClient

    /// - Throws: `.forbidden` when the scope is denied.
    func obtain(_ scope: String, metadata: [String: String]? = nil) async throws {
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
                "The step \(challenge.currentStep ?? "") is proven by a verification token of the app's backend.")
            return try await client.continueStepUp(
                challenge, verificationToken: try Prompt.line("verification token"))
        }
        try await client.sendStepUpOTP(challenge)
        Prompt.say("A code is on its way to you\(Self.way(of: challenge)).")
        return try await submitCode(for: challenge)
    }

    /// How the code travels, in words, as far as the step's key says so.
    private static func way(of challenge: StepUpChallenge) -> String {
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
            } catch PreludeSessionError.invalidOTPCode {
                Prompt.say("That code is wrong or expired.")
            }
        }
    }
}
