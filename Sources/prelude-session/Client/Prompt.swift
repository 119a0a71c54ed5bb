import ArgumentParser
import Foundation

/// Talks with whoever sits at the terminal: on standard error, so that standard output holds results only.
enum Prompt {
    static func say(_ text: String, newline: Bool = true) {
        FileHandle.standardError.write(Data((text + (newline ? "\n" : "")).utf8))
    }

    /// The next line of standard input that is not blank, without the spaces around it.
    ///
    /// - Parameter name: What is asked for, such as `code`.
    static func line(_ name: String) throws -> String {
        while true {
            say(name.prefix(1).uppercased() + name.dropFirst() + ": ", newline: false)
            guard let line = readLine(strippingNewline: true) else {
                throw ValidationError("No \(name) was given on standard input.")
            }
            let text = line.trimmingCharacters(in: .whitespaces)
            if !text.isEmpty { return text }
        }
    }
}
