@_spi(Service) import PreludeSession

/// Asks the user for the steps of a step-up until the scope is granted or denied.
struct InteractiveStepUp {
    let client: PreludeSessionClient

    /// - Throws: `.forbidden` when the scope is denied.
    func obtain(_ scope: String, metadata: [String: String]? = nil) async throws {
        var isResending = false
        try await client.stepUp(scope: scope, metadata: metadata) { challenge, problem in
            let wasResending = isResending
            isResending = false
            switch problem {
            case let problem? where problem.needsNewCode:
                isResending = true
                return .resend
            case .rateLimited(let text)? where wasResending:
                try await CodeResend(client: client).pause(after: .rateLimited(text))
                isResending = true
                return .resend
            case nil where wasResending:
                Prompt.say("This code can no longer be used. Another one was sent to you.")
            case nil: Prompt.say("A code was sent to you\(Self.channel(of: challenge)).")
            case .invalidOTPCode: Prompt.say("The code is wrong. Enter it again.")
            case let problem? where problem.endsCodeEntry:
                Prompt.say("This step-up accepts no other code, so it starts again.")
                Prompt.say("A code was sent to you\(Self.channel(of: challenge)).")
            case let problem?: throw problem
            }
            return .code(try Prompt.line("code"))
        } ownStep: { challenge in
            let step = (challenge.currentStep ?? "").escapedForTerminal
            Prompt.say("The step \(step) needs a verification token from the app's backend.")
            return try Prompt.line("verification token")
        }
    }

    /// Describes how the code was sent, if the key of the step says it.
    private static func channel(of challenge: StepUpChallenge) -> String {
        switch challenge.currentStep {
        case "verify_sms": " by text message"
        case "verify_email": " by e-mail"
        default: ""
        }
    }
}
