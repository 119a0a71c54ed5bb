public import Foundation
@_spi(Service) internal import PreludeSession

#if canImport(SwiftUI)
    internal import SwiftUI
#endif

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

extension SessionUIText {
    /// The texts of the views, in English. Each is a key of the String Catalogue, so a missing translation shows
    /// English.
    enum Key: String, Sendable, CaseIterable {
        // Codes.
        case enterCode = "Enter the code"
        case code = "Code"
        case codeSentTo = "We sent a code to %@."
        case codeSentByEmail = "We sent a code to your e-mail address."
        case codeSentBySMS = "We sent a code to your phone."
        case newCodeSent = "A new code is on its way."
        case sendNewCode = "Send a new code"
        case newCodeIn = "You can request a new code in %lld seconds."
        case `continue` = "Continue"
        case startAgain = "Start again"
        case signInExpired = "This sign-in has expired. Start again."

        // Passwords.
        case newPassword = "New password"
        case showPassword = "Show password"
        case savePassword = "Save password"
        case passwordChanged = "Your password was changed."
        case minimumLength = "At least %lld characters"
        case maximumLength = "At most %lld characters"
        case minimumUppercase = "At least %lld uppercase letters"
        case minimumLowercase = "At least %lld lowercase letters"
        case minimumNumbers = "At least %lld digits"
        case minimumSymbols = "At least %lld symbols"
        case met = "Met"
        case notMet = "Not met"

        // Sessions.
        case devices = "Your devices"
        case thisDevice = "This device"
        case unknownDevice = "Unknown device"
        case lastUsed = "Last used %@"
        case signOut = "Sign out"
        case signOutOthers = "Sign out all other devices"
        case askSignOutOthers = "Sign out all other devices?"
        case askSignOut = "Sign out %@?"
        case mustSignInAgain = "You must sign in there again."
        case showMore = "Show more"

        // Step-ups.
        case confirmIdentity = "Confirm that it is you"

        // All views.
        case cancel = "Cancel"
        case tryAgain = "Try again"
        case pleaseWait = "Please wait"
    }
}

extension SessionUIText {
    /// What a view was doing when an error occurred.
    enum Situation: Sendable, Hashable {
        /// Signing in with a code.
        case signIn
        /// Using the session of a signed-in user.
        case session
    }

    /// The text to show for an error: the SDK's message, except where the situation says more.
    ///
    /// - Parameter situation: What the view was doing.
    /// - Returns: `nil` for a cancelled call, which is not shown.
    static func shown(for error: any Error, in situation: Situation) -> SessionUIText? {
        if error is CancellationError { return nil }
        guard let error = error as? PreludeSessionError else { return SessionUIText(PreludeSessionMessage(.failed)) }
        // No user is signed in yet, so “sign in again” would be a riddle.
        if situation == .signIn, error.endsCodeEntry { return SessionUIText(.signInExpired) }
        return SessionUIText(error.message)
    }
}

#if canImport(SwiftUI)
    extension Locale {
        /// The text of a key in this language.
        func text(_ key: SessionUIText.Key, _ argument: String? = nil) -> Text {
            text(argument.map { SessionUIText(key, .text($0)) } ?? SessionUIText(key))
        }

        func text(_ text: SessionUIText) -> Text { Text(verbatim: text.string(locale: self)) }
    }
#endif

/// Finds texts: first in the app's table, then in this module's.
private enum SessionUITable {
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
