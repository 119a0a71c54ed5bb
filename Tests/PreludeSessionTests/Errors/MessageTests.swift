import Foundation
import Testing

@testable import PreludeSession

@Suite("What to show for an error")
struct MessageTests {
    private struct Broken: Error {}

    static let errors: [(PreludeSessionError, PreludeSessionMessage.Key)] = [
        (.timeout, .noConnection), (.network(underlying: Broken()), .noConnection),
        (.unauthorized(.init("m", field: "password")), .wrongPassword), (.unauthorized("m"), .signIn),
        (.deviceKeyLost("m"), .signIn),
        (.unauthorized(.init("m", needsNewCode: true)), .newCode),
        (.invalidOTPCode("m"), .wrongCode),
        (.invalidOTPCode(.init("m", needsNewCode: true)), .newCode),
        (.badRequest(.init("m", code: "invalid_verification_token", needsNewCode: true)), .newCode),
        (.invalidPassword("m"), .weakPassword), (.rateLimited("m"), .waitLater),
        (.badRequest(.init("m", code: "invalid_identifier")), .invalidIdentifier),
        (.forbidden(.init("m", code: "suspended_account")), .accountBlocked),
        (.forbidden(.init("m", code: "inactive_user")), .accountBlocked),
        (.forbidden("m"), .notAllowed), (.insufficientScope("m"), .confirmIdentity),
        (.conflict(.init("m", code: "identifier_already_exists")), .taken),
        (.conflict("m"), .notAllowed),
        (.missingChallengeToken("m"), .startAgain), (.invalidChallengeToken("m"), .startAgain),
        (.expiredChallengeToken("m"), .startAgain), (.tokenReused("m"), .startAgain),
        (.deviceLocked("m"), .unlockDevice), (.storageUnavailable("m"), .storageFailed),
        (.badRequest("m"), .failed), (.notFound("m"), .failed),
        (.internalServerError("m"), .failed), (.refreshFailed("m"), .failed), (.invalidConfiguration("m"), .failed),
        (.generic(code: "x", message: "m"), .failed),
        (.forbidden(.init("m", code: "passkey_not_configured")), .passkeyUnavailable),
        (.forbidden(.init("m", code: "passkey_step_unavailable")), .passkeyUnavailable),
        (.forbidden(.init("m", code: "passkey_not_supported")), .passkeyUnavailable),
        (.badRequest(.init("m", code: "passkey_registration_failed")), .passkeyFailed),
        (.generic(code: "passkey_failed", message: "m"), .passkeyFailed),
        (.unauthorized(.init("m", field: "assertion")), .passkeyFailed),
        (.forbidden(.init("m", code: "passkey_authenticator_blocked")), .passkeyBlocked),
        (.invalidConfiguration(.init("m", code: "passkey_not_associated")), .passkeyNotReady),
        (.conflict(.init("m", code: "passkey_already_registered")), .passkeyExists),
    ]

    @Test("Every error has a message, and all messages are used")
    func messages() {
        for (error, key) in Self.errors { #expect(error.message.key == key, "\(error)") }
        let used = Set(Self.errors.map(\.1)).union([.waitSeconds, .waitMinutes, .waitHours])
        #expect(used == Set(PreludeSessionMessage.Key.all))
    }

    @Test("Damaged and newer records do not ask for an unlock, which does not repair them")
    func unusableRecords() throws {
        for record in ["?", #"{"version":99}"#] {
            let error = try #require(
                #expect(throws: PreludeSessionError.self) { try StoredSession.decode(Data(record.utf8)) })
            #expect(error.message.key == .storageFailed && !error.needsUnlock)
        }
        let full = PreludeSessionError.storageUnavailable(file: "/x", verb: "write", ENOSPC)
        #expect(full.message.key == .storageFailed)
    }

    @Test(
        "A wait is shown in seconds, minutes or hours, rounded up",
        arguments: [
            (0, "1 second."), (1, "1 second."), (42, "42 seconds."), (99, "99 seconds."), (100, "2 minutes."),
            (121, "3 minutes."), (5999, "100 minutes."), (6000, "2 hours."), (86_400, "24 hours."),
        ])
    func waiting(seconds: Int, expected: String) {
        let error = PreludeSessionError.rateLimited(.init("m", retryAfter: TimeInterval(seconds)))
        #expect(error.message.text() == "Too many attempts. Try again in " + expected)
    }

    @Test("Without a compiled catalogue the text is English, and no text has a fact of the server")
    func english() {
        for (error, key) in Self.errors {
            #expect(error.message.text() == PreludeSessionMessage(key).english)
        }
    }
}

@Suite("The string catalogue of errors")
struct CatalogueTests {
    private struct Catalogue: Decodable {
        struct Unit: Decodable {
            let state: String
            let value: String
        }
        struct Form: Decodable { let stringUnit: Unit }
        struct Localization: Decodable {
            let stringUnit: Unit?
            let variations: [String: [String: Form]]?

            /// All texts: one, or one for each plural form.
            var units: [Unit] {
                (stringUnit.map { [$0] } ?? []) + (variations?["plural"]?.values.map(\.stringUnit) ?? [])
            }
        }
        struct Entry: Decodable {
            let comment: String
            let localizations: [String: Localization]
        }
        let sourceLanguage: String
        let strings: [String: Entry]
    }

    private static let languages: Set = ["en", "fr", "de", "es", "ja"]

    private static var catalogue: Catalogue {
        get throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let file = root.appendingPathComponent(
                "Sources/PreludeSession/Resources/\(PreludeSessionMessage.table).xcstrings")
            return try JSONDecoder().decode(Catalogue.self, from: Data(contentsOf: file))
        }
    }

    private static func placeholders(_ text: String) -> [String] {
        text.matches(of: /%(\d+\$)?(lld|ld|d|@|f|%)?/).map { String($0.output.0) }
    }

    @Test("The catalogue has exactly the keys of the messages, each with a comment")
    func keys() throws {
        let catalogue = try Self.catalogue
        #expect(Set(catalogue.strings.keys) == Set(PreludeSessionMessage.Key.all.map(\.rawValue)))
        #expect(catalogue.strings.values.allSatisfy { !$0.comment.isEmpty })
        #expect(catalogue.sourceLanguage == "en")
    }

    @Test(
        "Every key has a text in every language, with the same placeholders",
        arguments: PreludeSessionMessage.Key.all)
    func translations(_ key: PreludeSessionMessage.Key) throws {
        let entry = try #require(try Self.catalogue.strings[key.rawValue])
        #expect(Set(entry.localizations.keys) == Self.languages)
        let hasNumber = [.waitSeconds, .waitMinutes, .waitHours].contains(key)
        for (language, localization) in entry.localizations {
            #expect(!localization.units.isEmpty, "\(language)")
            for unit in localization.units {
                #expect(unit.state == "translated" && !unit.value.isEmpty, "\(language)")
                #expect(Self.placeholders(unit.value) == (hasNumber ? ["%lld"] : []), "\(language): \(unit.value)")
            }
            let forms = localization.variations?["plural"].map { Set($0.keys) }
            #expect(forms == (hasNumber ? (language == "ja" ? ["other"] : ["one", "other"]) : nil), "\(language)")
        }
        let texts = entry.localizations.values.flatMap(\.units).map(\.value)
        #expect(Set(texts).count >= Self.languages.count, "A text is the same in two languages.")
    }

    @Test("A key that this version does not know has the text of any other failure")
    func unknownKey() {
        let message = PreludeSessionMessage(PreludeSessionMessage.Key(rawValue: "prelude_session.tomorrow"))
        #expect(message.english == PreludeSessionMessage(.failed).english)
    }

    @Test("The English texts are those of the code", arguments: PreludeSessionMessage.Key.all)
    func english(_ key: PreludeSessionMessage.Key) throws {
        let entry = try #require(try Self.catalogue.strings[key.rawValue]?.localizations["en"])
        guard let plural = entry.variations?["plural"] else {
            #expect(entry.stringUnit?.value == PreludeSessionMessage(key).english)
            return
        }
        let seconds: Double = key == .waitSeconds ? 1 : key == .waitMinutes ? 60 : 3600
        // One minute and one hour are shown in smaller units, so only other numbers occur there.
        #expect(plural["other"]?.stringUnit.value == PreludeSessionMessage.wait(99 * seconds).english)
        if key == .waitSeconds { #expect(plural["one"]?.stringUnit.value == PreludeSessionMessage.wait(1).english) }
    }
}
