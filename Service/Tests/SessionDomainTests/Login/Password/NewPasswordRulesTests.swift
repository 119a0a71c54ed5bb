internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("The rules for new passwords")
struct NewPasswordRulesTests {
    private static let now = Timestamp(milliseconds: 0)
    private static let common = Refusal.invalidPassword(
        "password is in a list of common and breached passwords; choose another one")

    private func rules(rejectsCommon: Bool? = nil) throws -> NewPasswordRules {
        let id = try #require(AppID("shop123"))
        var app = App(id: id, name: "Flower Shop", createdAt: Self.now)
        if let rejectsCommon {
            var config = PasswordLoginConfig(at: Self.now)
            config.rejectsCommonPasswords = rejectsCommon
            app.passwordLogin = config
        }
        return NewPasswordRules(
            app: app,
            identifiers: [
                try CanonicalIdentifier(type: "email_address", value: "Ada.Lovelace@example.com"),
                try CanonicalIdentifier(type: "email_address", value: "li@example.com"),
                try CanonicalIdentifier(type: "phone_number", value: "+14155551234"),
            ])
    }

    // Proves: O35
    @Test("A common password is rejected, unless the app allows it (ASVS 6.2.4)")
    func commonPasswords() throws {
        #expect(throws: Self.common) { try rules().check("password1") }
        #expect(throws: Self.common) { try rules(rejectsCommon: true).check("QWERTYuiop") }
        #expect(throws: Never.self) { try rules(rejectsCommon: false).check("password1") }
        #expect(throws: Never.self) { try rules().check("correct horse battery") }
    }

    @Test(
        "A text that is the hash of a password is no password, with and without the list",
        arguments: [
            "$2b$12$KIXQ4S5OoGJ9r5Qf0v5uUe5mQW0q1Yh3lH1yqk1mN8e0mYv0s1x2C",
            "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaA",
            "$6$rounds=5000$saltsalt$hashhashhashhash", "pbkdf2_sha256$600000$salt$hash=",
            "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=",
        ])
    func hashes(text: String) throws {
        for rejectsCommon in [nil, true, false] {
            let refusal = #expect(throws: Refusal.self) { try rules(rejectsCommon: rejectsCommon).check(text) }
            guard case .invalidPassword(let message)? = refusal else { return #expect(Bool(false)) }
            #expect(message.hasPrefix("password is the hash of a password. "))
        }
    }

    @Test(
        "A password that only looks a little like a hash is accepted",
        arguments: [
            "$2b$ costs two bucks", "pbkdf2 is my favourite", "5f4dcc3b5aa765d61d8327deb882cf99", "{SHA} la la la la",
        ])
    func noHashes(text: String) throws {
        #expect(throws: Never.self) { try rules().check(text) }
    }

    @Test("The counts are checked first, and without the list, too")
    func counts() throws {
        #expect(throws: Refusal.invalidPassword("password needs at least 8 characters")) {
            try rules(rejectsCommon: false).check("letmein")
        }
    }

    // Proves: O35
    @Test(
        "The app's name and the user's identifiers are rejected, with signs and digits around them, too (ASVS 6.2.11)",
        arguments: [
            "flower shop", "Flower Shop 2026!", "ada.lovelace", "12 ADA.LOVELACE 34", "ada.lovelace@example.com",
            "+14155551234", "14155551234", "Ada.Lovelace@Example.com!",
        ])
    func contextWords(password: String) throws {
        #expect(throws: Refusal.self) { try rules().check(password) }
        #expect(throws: Never.self) { try rules(rejectsCommon: false).check(password) }
    }

    @Test(
        "A password that only contains such a word is accepted, and so is one around a word of two letters",
        arguments: ["my flower shop is red", "lovelace and babbage", "8271 li 9921"])
    func otherPasswords(password: String) throws {
        #expect(throws: Never.self) { try rules().check(password) }
    }

    @Test("A stored configuration without the setting rejects common passwords")
    func stored() throws {
        let encoder = JSONEncoder()
        let written = try encoder.encode(PasswordLoginConfig(at: Self.now))
        var members = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        members["rejectsCommonPasswords"] = nil
        let old = try JSONSerialization.data(withJSONObject: members)
        #expect(try JSONDecoder().decode(PasswordLoginConfig.self, from: old).rejectsCommonPasswords)
        var config = PasswordLoginConfig(at: Self.now)
        config.rejectsCommonPasswords = false
        #expect(try JSONDecoder().decode(PasswordLoginConfig.self, from: encoder.encode(config)) == config)
    }
}
