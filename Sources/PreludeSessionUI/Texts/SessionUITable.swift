internal import Foundation

/// Finds texts: first in the app's table, then in this module's.
enum SessionUITable {
    /// The name of the table with which an app changes texts.
    static let appTable = "PreludeSessionUI"

    /// The text of a key in the language of a locale; the key itself, which is English, if there is none.
    static func format(for key: String, locale: Locale) -> String {
        let app = localized(.main, for: locale).localizedString(forKey: key, value: missing, table: appTable)
        return app == missing
            ? localized(.module, for: locale).localizedString(forKey: key, value: key, table: nil) : app
    }

    /// No text is a null character.
    private static let missing = "\0"

    /// The part of a bundle in the language of a locale. A view's locale may differ from the language of the process.
    private static func localized(_ bundle: Bundle, for locale: Locale) -> Bundle {
        let language = Bundle.preferredLocalizations(from: bundle.localizations, forPreferences: [locale.identifier])
            .first
        let path = language.flatMap { bundle.path(forResource: $0, ofType: "lproj") }
        return path.flatMap(Bundle.init(path:)) ?? bundle
    }
}
