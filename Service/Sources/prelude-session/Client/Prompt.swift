import ArgumentParser
import Foundation

/// Asks the user on standard error, so that standard output contains only results.
enum Prompt {
    static func say(_ text: String, newline: Bool = true) {
        FileHandle.standardError.write(Data((text + (newline ? "\n" : "")).utf8))
    }

    /// Returns the next line of standard input that is not blank, without surrounding spaces.
    ///
    /// - Parameter name: What the user should enter, such as `code`.
    static func line(_ name: String) throws -> String {
        while true {
            say(name.prefix(1).uppercased() + name.dropFirst() + ": ", newline: false)
            guard let line = readLine(strippingNewline: true) else {
                throw ValidationError("Standard input ended without a \(name).")
            }
            let text = line.trimmingCharacters(in: .whitespaces)
            if !text.isEmpty { return text }
        }
    }
}
