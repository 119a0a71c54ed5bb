/// The rules for a password that is set or changed: the counts of the policy, and no password that is easy to guess.
///
/// The wire shows only the counts to clients (`/password/compliancy`). Common passwords and context words need the service.
package struct NewPasswordRules: Sendable {
    private let policy: PasswordPolicy
    private let rejectsCommon: Bool
    private let contextWords: [String]

    /// - Parameters:
    ///   - app: The app with the settings. Its name is a context word.
    ///   - identifiers: The identifiers of the user. They and the local parts of addresses are context words.
    package init(app: App, identifiers: [CanonicalIdentifier]) {
        let config = app.passwordLogin
        policy = config?.policy ?? PasswordPolicy()
        rejectsCommon = config?.rejectsCommonPasswords ?? true
        contextWords = [app.name] + identifiers.flatMap(Self.words)
    }

    /// - Throws: `Refusal.invalidPassword` with the rule that the password breaks.
    package func check(_ password: String) throws {
        try policy.check(password)
        guard !PasswordHashFormat.isHash(password) else {
            throw Refusal.invalidPassword(
                "password is the hash of a password. The service does not import hashes, and would take this text for the "
                    + "password itself")
        }
        guard rejectsCommon else { return }
        // NIST SP 800-63B-4 §3.1.1.2, ASVS 6.2.4 and 6.2.12.
        guard try !CommonPasswords.contains(password) else {
            throw Refusal.invalidPassword(
                "password is in a list of common and breached passwords; choose another one")
        }
        // ASVS 6.2.11.
        guard !isContextWord(password) else {
            throw Refusal.invalidPassword(
                "password is the name of the app or an identifier of the user, or one of them with digits or signs; "
                    + "choose another one")
        }
    }

    private static func words(of identifier: CanonicalIdentifier) -> [String] {
        switch identifier.type {
        case .phoneNumber: [identifier.value, String(identifier.value.dropFirst())]
        case .emailAddress: [identifier.value, String(identifier.value.prefix { $0 != "@" })]
        }
    }

    /// Whether the password is a context word, or becomes one without the signs and digits around it, such as `Ada2026!`.
    private func isContextWord(_ password: String) -> Bool {
        let folded = password.foldedPassword
        let core = Self.core(folded)
        return contextWords.contains { word in
            let word = word.foldedPassword
            let wordCore = Self.core(word)
            return folded == word || (wordCore.count >= Self.shortestCore && core == wordCore)
        }
    }

    /// Shorter words would reject passwords that only contain their letters by chance.
    private static let shortestCore = 3

    private static func core(_ folded: String) -> Substring {
        guard let first = folded.firstIndex(where: \.isLetter), let last = folded.lastIndex(where: \.isLetter) else {
            return ""
        }
        return folded[first...last]
    }
}
