internal import Foundation

/// Finds texts: first in the app's table, then in this module's.
enum SessionUITable {
    /// The name of the table with which an app changes texts.
    static let appTable = "PreludeSessionUI"

    /// The text of a key in the language of a locale; the key itself, which is English, if there is none.
    static func format(for key: String, locale: Locale) -> String {
        // An app in another language than the user's must not hide this module's text in the user's language.
        if let app = part(of: .main, in: locale) {
            let text = app.localizedString(forKey: key, value: missing, table: appTable)
            if text != missing { return text }
        }
        return part(of: .module, in: locale)?.localizedString(forKey: key, value: key, table: nil) ?? key
    }

    /// No text is a null character.
    private static let missing = "\0"

    /// The part of a bundle in the language of a locale, which may differ from the language of the process; `nil` if the
    /// bundle does not have the language.
    private static func part(of bundle: Bundle, in locale: Locale) -> Bundle? {
        // A language tag has hyphens and no keywords (RFC 5646 §2.1).
        let tag = String(locale.identifier.prefix { $0 != "@" }.map { $0 == "_" ? "-" : $0 })
        let found = Bundle.preferredLocalizations(from: bundle.localizations, forPreferences: [tag]).first
        guard let found, language(of: found) == language(of: tag) else { return nil }
        return bundle.path(forResource: found, ofType: "lproj").flatMap(Bundle.init(path:))
    }

    /// `pt` of `pt-BR`.
    private static func language(of tag: String) -> Substring { tag.prefix { $0 != "-" } }
}
