public import Foundation

/// A text of the views, in the user's language.
///
/// Texts exist in English, French, German, Japanese and Spanish. To change a text or to add a language, add a String
/// Catalogue `PreludeSessionUI` to the app, with the English text as the key.
public struct SessionUIText: Sendable, Hashable {
    let key: Key
    let arguments: [Argument]

    /// What replaces a placeholder.
    enum Argument: Sendable, Hashable {
        case count(Int)
        case text(String)
    }

    init(_ key: Key, _ arguments: Argument...) {
        self.key = key
        self.arguments = arguments
    }

    /// The text in a language.
    ///
    /// - Parameter locale: The language and the format of numbers. A language without texts is shown in English.
    public func string(locale: Locale = .current) -> String {
        let format = SessionUITable.format(for: key.rawValue, locale: locale)
        guard !arguments.isEmpty else { return format }
        return String(
            format: format, locale: locale,
            arguments: arguments.map { argument -> any CVarArg in
                switch argument {
                case .count(let count): count
                case .text(let text): text
                }
            })
    }
}
