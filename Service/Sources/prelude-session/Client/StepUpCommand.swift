import ArgumentParser
import PreludeSession

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
                    try options.printJSON(Answer(scope: scope, granted: true))
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
