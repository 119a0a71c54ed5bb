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
        switch challenge.currentStep {
        case "verify_sms", "verify_email":
            try await client.sendStepUpOTP(challenge)
            let way = challenge.currentStep == "verify_sms" ? "text message" : "e-mail"
            Prompt.say("A code is on its way to you by \(way).")
            return try await submitCode(for: challenge)
        default:
            Prompt.say(
                "The step \(challenge.currentStep ?? "") is proven by a verification token of the app's backend.")
            return try await client.continueStepUp(
                challenge, verificationToken: try Prompt.line("verification token"))
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
