import Foundation

/// The input and output of the app. Tests replace it.
struct Console: Sendable {
    /// Asks a question and returns the answer.
    var ask: @Sendable (_ question: String) async throws -> String
    /// Prints a line.
    var say: @Sendable (_ line: String) -> Void

    /// The terminal of the process.
    static let standard = Console(
        ask: { question in
            print(question)
            guard let line = readLine() else { throw EndOfInput() }
            return line
        },
        say: { print($0) })
}

/// The input has ended.
struct EndOfInput: Error {}
