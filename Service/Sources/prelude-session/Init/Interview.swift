import ArgumentParser
import Foundation
import SessionDomain

/// Takes values from flags, and asks for the missing ones on a terminal.
///
/// Without a terminal it collects the names of the flags that are missing, so that an operator sees all of them at once.
struct Interview {
    let isOnTerminal: Bool
    private(set) var missing: [String] = []

    init(isOnTerminal: Bool = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1) {
        self.isOnTerminal = isOnTerminal
    }

    /// Returns the value of a flag, or the answer to a question.
    ///
    /// - Parameters:
    ///   - flag: The name with `--`.
    ///   - value: The value of the flag.
    ///   - suggestion: The answer for an empty line.
    ///   - check: Returns the value as it is stored. A question is asked again with the text of its error.
    /// - Returns: An empty text without value and terminal.
    /// - Throws: `ConfigurationError` for an invalid value of the flag.
    mutating func answer(
        _ flag: String, _ value: String?, _ question: String, suggestion: String? = nil,
        check: (String) throws -> String = { $0 }
    ) throws -> String {
        if let value {
            do {
                return try check(value)
            } catch {
                throw ConfigurationError(flag, Self.text(of: error))
            }
        }
        guard isOnTerminal else {
            missing.append(flag)
            return ""
        }
        while true {
            Prompt.say(question + (suggestion.map { " [\($0)]" } ?? "") + ": ", newline: false)
            guard let line = readLine() else { throw ValidationError("The input ended at the question for \(flag).") }
            let text = line.trimmingCharacters(in: .whitespaces)
            guard let text = text.isEmpty ? suggestion : text else { continue }
            do {
                return try check(text)
            } catch {
                Prompt.say("  \(Self.text(of: error))")
            }
        }
    }

    /// Returns a choice of flags, or asks for yes or no.
    ///
    /// - Parameters:
    ///   - value: Whether the flags say yes or no. `nil`: they say nothing.
    ///   - flags: The flags that would decide.
    mutating func isWanted(_ value: Bool?, flags: String, _ question: String) throws -> Bool {
        if let value { return value }
        let text = try answer(flags, nil, question + " (yes or no)", suggestion: "no") { text in
            guard ["y", "yes", "n", "no"].contains(text.lowercased()) else {
                throw ValidationProblem("Enter yes or no.")
            }
            return text
        }
        return text.lowercased().hasPrefix("y")
    }

    /// - Throws: `ValidationError` with the flags that are missing.
    func check() throws {
        guard missing.isEmpty else {
            throw ValidationError(
                "There is no terminal to ask on, and these flags are missing: \(missing.joined(separator: "; ")).")
        }
    }

    /// The text without the name of a field: the flag or the question names it.
    private static func text(of error: any Error) -> String {
        switch error {
        case Refusal.invalidField(_, let problem): problem
        case let error as RouteProblem: error.problem
        case let error as SendingFailure: error.reason
        default: "\(error)"
        }
    }
}

/// An answer is invalid.
struct ValidationProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
