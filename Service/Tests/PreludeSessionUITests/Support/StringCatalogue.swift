import Foundation

/// A String Catalogue (`.xcstrings`), read from the sources.
struct StringCatalogue: Decodable {
    struct Entry: Decodable {
        let localizations: [String: Localization]
    }

    struct Localization: Decodable {
        struct Unit: Decodable { let value: String, state: String }
        struct Variations: Decodable { let plural: [String: Localization] }
        let stringUnit: Unit?
        let variations: Variations?

        /// The texts by plural category; `other` for a text without plural forms.
        var forms: [String: Unit] {
            if let stringUnit { return ["other": stringUnit] }
            return variations?.plural.compactMapValues(\.stringUnit) ?? [:]
        }
    }

    let sourceLanguage: String
    let strings: [String: Entry]

    static func ofViews() throws -> StringCatalogue {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = URL(
            fileURLWithPath: "../../../../Sources/PreludeSessionUI/Resources/Localizable.xcstrings", relativeTo: folder)
        return try JSONDecoder().decode(StringCatalogue.self, from: Data(contentsOf: file))
    }

    /// The placeholders of a format, such as `%@` and `%lld`, in order.
    static func placeholders(of format: String) -> [String] {
        format.matches(of: /%(?:\d+\$)?(?:@|lld|%)/).map { String($0.output) }
    }
}
