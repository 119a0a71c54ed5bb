import ArgumentParser
@_spi(Service) import PreludeSession

/// `prelude-session step-up`: requests a scope as the signed-in user, and manages the rules of an app for scopes.
struct StepUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "step-up", abstract: "Get a scope for your access token. Or set an app's rules for scopes.",
        discussion: """
            `step-up transfer:write` requests a scope as the signed-in user. The other subcommands work on the database, for \
            administrators.
            """,
        subcommands: [Request.self, Show.self, Set.self, Remove.self, Replace.self], defaultSubcommand: Request.self)
}

extension StepUpCommand {
    /// `prelude-session step-up SCOPE`: requests a scope and does the steps for it.
    struct Request: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "request",
            abstract: "Get a scope for your access token by a code or another step.")

        @Argument(help: "The scope, such as transfer:write.") var scope: String
        @Option(
            help: ArgumentHelp(
                "A text for the hook that decides about the scope. Can be repeated. For prld:phone:register and prld:email:register, the key identifier has the new value.",
                valueName: "key=value"))
        var metadata: [String] = []
        @OptionGroup var options: ClientOptions

        private struct Answer: Encodable {
            let scope: String
            let granted: Bool
        }

        func validate() throws { _ = try pairs() }

        func run() async throws {
            let metadata = try pairs()
            try await options.run { client in
                try await InteractiveStepUp(client: client).obtain(scope, metadata: metadata.isEmpty ? nil : metadata)
                if options.json {
                    try printJSON(Answer(scope: scope, granted: true))
                } else {
                    print("Granted \(scope).")
                }
            }
        }

        private func pairs() throws -> [String: String] {
            var pairs: [String: String] = [:]
            for text in metadata {
                guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                    throw ValidationError("--metadata must be key=value.")
                }
                let key = String(text[..<sign])
                guard pairs.updateValue(String(text[text.index(after: sign)...]), forKey: key) == nil else {
                    throw ValidationError("The metadata key \(key) is given twice.")
                }
            }
            return pairs
        }
    }
}

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
