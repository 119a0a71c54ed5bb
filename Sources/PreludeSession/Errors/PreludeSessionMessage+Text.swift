public import Foundation

extension PreludeSessionMessage {
    /// The name of the catalogue.
    public static let table = "PreludeSessionErrors"

    /// The text in the language of the app.
    ///
    /// A catalogue of the same name in the app's bundle takes precedence, key by key. Without any, as on Linux, where string
    /// catalogues are not compiled, the text is English.
    ///
    /// - Parameter bundle: The app's bundle.
    public func text(bundle: Bundle = .main) -> String {
        let bundles = [bundle, MessageBundle.find()].compactMap { $0 }
        let format = bundles.lazy.compactMap(localized).first ?? english
        guard let number else { return format }
        return String(format: format, locale: Locale.current, Int64(number))
    }

    /// The text in a bundle; `nil` if its catalogue does not have it.
    private func localized(in bundle: Bundle) -> String? {
        // Without a value, a missing text is the key itself.
        let text = bundle.localizedString(forKey: key.rawValue, value: nil, table: Self.table)
        return text == key.rawValue || text.isEmpty ? nil : text
    }

    /// The English text of the catalogue, with `%lld` for the number.
    var english: String {
        switch key {
        case .noConnection: "No connection to the service. Check your network and try again."
        case .signIn: "Please sign in again."
        case .wrongPassword: "The e-mail address or the password is not correct."
        case .wrongCode: "That code is not correct. Check it and try again."
        case .newCode: "This code can no longer be used. Request a new one."
        case .weakPassword: "This password does not meet the requirements. Choose another one."
        case .waitSeconds: Self.wait(number, "second")
        case .waitMinutes: Self.wait(number, "minute")
        case .waitHours: Self.wait(number, "hour")
        case .waitLater: "Too many attempts. Try again later."
        case .invalidIdentifier: "Check the phone number or e-mail address."
        case .accountBlocked: "This account is blocked. Please contact support."
        case .notAllowed: "This is not possible with your account."
        case .confirmIdentity: "Please confirm your identity and try again."
        case .taken: "Another account already uses this phone number or e-mail address."
        case .startAgain: "This took too long or was interrupted. Please start again."
        case .unlockDevice: "Unlock your device and try again."
        case .storageFailed:
            "Your sign-in cannot be read or saved on this device. Try again. If that does not help, free up storage, "
                + "update the app, or sign in again."
        default: "Something went wrong. Please try again later."
        }
    }

    private static func wait(_ number: Int?, _ unit: String) -> String {
        "Too many attempts. Try again in %lld \(unit)\(number == 1 ? "" : "s")."
    }
}

/// Finds the bundle with the SDK's catalogue. SwiftPM's own accessor ends the process if there is none.
private enum MessageBundle {
    private final class Anchor {}

    static func find() -> Bundle? {
        let places = [Bundle.main.resourceURL, Bundle(for: Anchor.self).resourceURL, Bundle.main.bundleURL]
        return places.lazy.compactMap { $0?.appendingPathComponent("prelude-session_PreludeSession.bundle") }
            .compactMap(Bundle.init(url:)).first
    }
}
