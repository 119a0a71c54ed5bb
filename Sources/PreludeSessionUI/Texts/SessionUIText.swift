public import Foundation
internal import PreludeSession

/// A text of the views, in the user's language.
///
/// Texts exist in English, French, German, Japanese and Spanish. To change a text or to add a language, add a String
/// Catalogue `PreludeSessionUI` to the app, with the English text as the key. Texts of errors are those of
/// `PreludeSessionMessage`, with a catalogue of their own.
public struct SessionUIText: Sendable, Hashable {
    private let source: Source

    private enum Source: Sendable, Hashable {
        case view(Key, [Argument])
        case error(PreludeSessionMessage)
    }

    /// What replaces a placeholder.
    enum Argument: Sendable, Hashable {
        case count(Int)
        case text(String)
    }

    init(_ key: Key, _ arguments: Argument...) { source = .view(key, arguments) }

    init(_ message: PreludeSessionMessage) { source = .error(message) }

    /// The text in a language.
    ///
    /// - Parameter locale: The language and the format of numbers. A language without texts is shown in English. Texts of
    ///   errors are always in the language of the app.
    public func string(locale: Locale = .current) -> String {
        switch source {
        case .error(let message): return message.text()
        case .view(let key, let arguments):
            let format = SessionUITable.format(for: key.rawValue, locale: locale)
            guard !arguments.isEmpty else { return format }
            return String(format: format, locale: locale, arguments: arguments.map(\.value))
        }
    }
}

extension SessionUIText.Argument {
    fileprivate var value: any CVarArg {
        switch self {
        case .count(let count): count
        case .text(let text): text
        }
    }
}
