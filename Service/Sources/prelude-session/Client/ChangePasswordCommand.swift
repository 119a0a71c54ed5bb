import ArgumentParser
import PreludeSession

/// `prelude-session change-password`: does a step-up if necessary, then stores a new password.
struct ChangePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-password", abstract: "Change your password. The new password is read from standard input.")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client in
            if try await !client.canChangePassword() {
                try await InteractiveStepUp(client: client).obtain("prld:pwd:write")
            }
            try await client.changePassword(RedactedString(try await readPassword(client)))
            if options.json { try options.printJSON(["changed": true]) } else { print("Password changed.") }
        }
    }

    /// Reads passwords until one meets the app's rules. Prints the rules that a rejected one breaks.
    private func readPassword(_ client: PreludeSessionClient) async throws -> String {
        let rules = try await client.passwordCompliancy()
        var password = try PasswordInput.read(prompt: "New password: ")
        while true {
            let missing = PreludeSessionClient.validate(password: password, against: rules).results
                .filter { !$0.valid }.map(Self.describe)
            if missing.isEmpty { return password }
            Prompt.say("The password does not meet the app's rules: \(missing.joined(separator: "; ")).")
            do {
                password = try PasswordInput.read(prompt: "New password: ")
            } catch is ValidationError {
                throw PreludeSessionError.invalidPassword("the password does not meet the app's rules")
            }
        }
    }

    private static func describe(_ result: PreludePasswordCompliancyResult) -> String {
        let name =
            switch result.criterion {
            case .minLength, .maxLength: "characters"
            case .uppercase: "upper-case letters"
            case .lowercase: "lower-case letters"
            case .numbers: "digits"
            default: result.criterion.rawValue
            }
        let bound = result.criterion == .maxLength ? "at most" : "at least"
        return "\(name) \(bound) \(result.expected), has \(result.actual)"
    }
}
