import Foundation

/// Where the app asks and answers; a test brings its own.
struct Console: Sendable {
    /// Asks for a line of text.
    var ask: @Sendable (_ question: String) async throws -> String
    /// Prints a line.
    var say: @Sendable (_ line: String) -> Void

    /// The terminal that the app runs in.
    static let standard = Console(
        ask: { question in
            print(question)
            guard let line = readLine() else { throw EndOfInput() }
            return line
        },
        say: { print($0) })
}

/// Nobody answers.
struct EndOfInput: Error {}
