import Testing

@testable import PreludeSessionUI

@Suite("The String Catalogue of the views")
struct CatalogueTests {
    private static let languages = ["de", "en", "es", "fr", "ja"]

    /// The plural categories that each language needs for whole numbers (Unicode CLDR).
    private static let categories: [String: Set<String>] = [
        "de": ["one", "other"], "en": ["one", "other"], "es": ["one", "many", "other"],
        "fr": ["one", "many", "other"], "ja": ["other"],
    ]

    @Test("The catalogue has every text of the views and no other")
    func keys() throws {
        let catalogue = try StringCatalogue.ofViews()
        #expect(catalogue.sourceLanguage == "en")
        #expect(Set(catalogue.strings.keys) == Set(SessionUIText.Key.allCases.map(\.rawValue)))
    }

    @Test("Every text exists in every language, translated", arguments: SessionUIText.Key.allCases)
    func languages(key: SessionUIText.Key) throws {
        let entry = try #require(StringCatalogue.ofViews().strings[key.rawValue])
        #expect(entry.localizations.keys.sorted() == Self.languages)
        for (language, localization) in entry.localizations {
            #expect(!localization.forms.isEmpty, "\(language)")
            for unit in localization.forms.values {
                #expect(unit.state == "translated" && !unit.value.isEmpty, "\(language)")
            }
        }
        // English shows the key where there is no catalogue.
        #expect(entry.localizations["en"]?.forms["other"]?.value == key.rawValue)
    }

    @Test("Every text has the placeholders of its key, in every language", arguments: SessionUIText.Key.allCases)
    func placeholders(key: SessionUIText.Key) throws {
        let entry = try #require(StringCatalogue.ofViews().strings[key.rawValue])
        let expected = StringCatalogue.placeholders(of: key.rawValue)
        for (language, localization) in entry.localizations {
            for (category, unit) in localization.forms {
                #expect(StringCatalogue.placeholders(of: unit.value) == expected, "\(language) \(category)")
            }
        }
    }

    @Test("A text with a count has every plural form of its language", arguments: SessionUIText.Key.allCases)
    func plurals(key: SessionUIText.Key) throws {
        let entry = try #require(StringCatalogue.ofViews().strings[key.rawValue])
        let hasCount = StringCatalogue.placeholders(of: key.rawValue).contains("%lld")
        for (language, localization) in entry.localizations {
            let expected = hasCount ? try #require(Self.categories[language]) : ["other"]
            #expect(Set(localization.forms.keys) == expected, "\(language)")
        }
    }

    @Test("Other languages are translations, not copies of English")
    func copies() throws {
        let entries = try StringCatalogue.ofViews().strings
        for language in Self.languages where language != "en" {
            let same = entries.filter { key, entry in entry.localizations[language]?.forms["other"]?.value == key }
            #expect(same.keys.allSatisfy { $0 == SessionUIText.Key.code.rawValue }, "\(language)")
        }
    }

    @Test("A text replaces its placeholders, and is English without a translation")
    func english() {
        #expect(SessionUIText(.codeSentTo, .text("ada@example.com")).string() == "We sent a code to ada@example.com.")
        #expect(SessionUIText(.minimumLength, .count(8)).string() == "At least 8 characters")
        #expect(SessionUIText(.cancel).string() == "Cancel")
    }
}
