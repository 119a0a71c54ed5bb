import ArgumentParser
import Foundation

/// Asks on a terminal before what cannot be undone. A script must say `--yes`.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// - Parameters:
    ///   - consequence: What happens, as a sentence.
    ///   - refusal: What has not happened without a confirmation, as a sentence.
    func ask(_ consequence: String, ifNot refusal: String) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("\(consequence) Add --yes to confirm.")
        }
        Prompt.say(consequence)
        guard try Prompt.line("type yes to continue").lowercased() == "yes" else {
            throw ValidationError("Not confirmed. \(refusal)")
        }
    }
}
