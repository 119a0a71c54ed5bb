public import Foundation

/// What to show to a user for an error: a key of the string catalogue `PreludeSessionErrors.xcstrings`, and its number.
///
/// The catalogue has each text in English, French, German, Spanish and Japanese.
public struct PreludeSessionMessage: Sendable, Hashable {
    /// A key of the catalogue. New versions may add keys.
    public struct Key: RawRepresentable, Sendable, Hashable {
        /// The key as the catalogue has it.
        public let rawValue: String
        /// Creates a key from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No response. The session is kept.
        public static let noConnection = Key(rawValue: "prelude_session.no_connection")
        /// Show the login.
        public static let signIn = Key(rawValue: "prelude_session.sign_in")
        /// The e-mail address or the password of `loginWithPassword(_:)` is wrong.
        public static let wrongPassword = Key(rawValue: "prelude_session.wrong_password")
        /// The user can enter the code again.
        public static let wrongCode = Key(rawValue: "prelude_session.wrong_code")
        /// Offer to send another code.
        public static let newCode = Key(rawValue: "prelude_session.new_code")
        /// Show the rules for passwords.
        public static let weakPassword = Key(rawValue: "prelude_session.weak_password")
        /// Wait some seconds.
        public static let waitSeconds = Key(rawValue: "prelude_session.wait_seconds")
        /// Wait some minutes.
        public static let waitMinutes = Key(rawValue: "prelude_session.wait_minutes")
        /// Wait some hours.
        public static let waitHours = Key(rawValue: "prelude_session.wait_hours")
        /// Wait for an unknown time.
        public static let waitLater = Key(rawValue: "prelude_session.wait_later")
        /// Show it at the field of the phone number or e-mail address.
        public static let invalidIdentifier = Key(rawValue: "prelude_session.invalid_identifier")
        /// The account is suspended or closed.
        public static let accountBlocked = Key(rawValue: "prelude_session.account_blocked")
        /// The user or the app is not allowed to do this.
        public static let notAllowed = Key(rawValue: "prelude_session.not_allowed")
        /// Start a step-up.
        public static let confirmIdentity = Key(rawValue: "prelude_session.confirm_identity")
        /// Another user has the phone number or e-mail address.
        public static let taken = Key(rawValue: "prelude_session.taken")
        /// The step-up has ended. Start it again.
        public static let startAgain = Key(rawValue: "prelude_session.start_again")
        /// The credentials cannot be read while the device is locked. Retry when the app is in the foreground.
        public static let unlockDevice = Key(rawValue: "prelude_session.unlock_device")
        /// The credentials are damaged or of a newer version of the app, or the disk is full or fails.
        public static let storageFailed = Key(rawValue: "prelude_session.storage_failed")
        /// Passkeys cannot be used here. Offer another way.
        public static let passkeyUnavailable = Key(rawValue: "prelude_session.passkey_unavailable")
        /// The passkey was not created or not accepted. The user can try again.
        public static let passkeyFailed = Key(rawValue: "prelude_session.passkey_failed")
        /// The app does not accept passkeys of this kind of authenticator.
        public static let passkeyBlocked = Key(rawValue: "prelude_session.passkey_blocked")
        /// The system does not know yet that the app belongs to the host of the passkeys.
        public static let passkeyNotReady = Key(rawValue: "prelude_session.passkey_not_ready")
        /// The device has a passkey of the user already.
        public static let passkeyExists = Key(rawValue: "prelude_session.passkey_exists")
        /// Any other failure.
        public static let failed = Key(rawValue: "prelude_session.failed")

        /// All keys of this version.
        static let all: [Key] = [
            .noConnection, .signIn, .wrongPassword, .wrongCode, .newCode, .weakPassword,
            .waitSeconds, .waitMinutes, .waitHours, .waitLater, .invalidIdentifier, .accountBlocked,
            .notAllowed, .confirmIdentity, .taken, .startAgain, .unlockDevice, .storageFailed,
            .passkeyUnavailable, .passkeyFailed, .passkeyBlocked, .passkeyNotReady, .passkeyExists, .failed,
        ]
    }

    /// The key of the text.
    public let key: Key
    /// The number in the text: seconds, minutes or hours to wait. `nil` for a text without a number.
    public let number: Int?

    /// Creates a message without a number.
    ///
    /// - Parameter key: The key of the text.
    public init(_ key: Key) { self.init(key, number: nil) }

    private init(_ key: Key, number: Int?) {
        self.key = key
        self.number = number
    }

    /// How long to wait, in the largest unit that is exact enough. Rounded up, so that the user does not return too early.
    ///
    /// - Parameter seconds: Seconds to wait; `nil` if they are not known.
    static func wait(_ seconds: TimeInterval?) -> Self {
        guard let seconds else { return Self(.waitLater) }
        func rounded(_ unit: Double) -> Int { Int((seconds / unit).rounded(.up)) }
        if seconds < 100 { return Self(.waitSeconds, number: max(1, rounded(1))) }
        if seconds < 100 * 60 { return Self(.waitMinutes, number: rounded(60)) }
        return Self(.waitHours, number: rounded(3600))
    }
}

extension PreludeSessionError {
    /// What to show to the user for this error.
    ///
    /// ```swift
    /// catch let error as PreludeSessionError { status = error.message.text() }
    /// ```
    public var message: PreludeSessionMessage {
        if needsNewCode { return PreludeSessionMessage(.newCode) }
        if isInvalidIdentifier { return PreludeSessionMessage(.invalidIdentifier) }
        if isAccountSuspended { return PreludeSessionMessage(.accountBlocked) }
        if let key = passkeyKey { return PreludeSessionMessage(key) }
        switch self {
        case .network, .timeout: return PreludeSessionMessage(.noConnection)
        case .unauthorized where field == "password": return PreludeSessionMessage(.wrongPassword)
        case .unauthorized, .deviceKeyLost: return PreludeSessionMessage(.signIn)
        case .invalidOTPCode: return PreludeSessionMessage(.wrongCode)
        case .invalidPassword: return PreludeSessionMessage(.weakPassword)
        case .rateLimited: return .wait(retryAfter)
        case .insufficientScope: return PreludeSessionMessage(.confirmIdentity)
        case .conflict where code == .identifierAlreadyExists: return PreludeSessionMessage(.taken)
        case .forbidden, .conflict: return PreludeSessionMessage(.notAllowed)
        case .missingChallengeToken, .invalidChallengeToken, .expiredChallengeToken, .tokenReused:
            return PreludeSessionMessage(.startAgain)
        case .storageUnavailable: return PreludeSessionMessage(needsUnlock ? .unlockDevice : .storageFailed)
        case .badRequest, .notFound, .internalServerError, .refreshFailed, .invalidConfiguration, .generic:
            return PreludeSessionMessage(.failed)
        }
    }

    /// The key of a text about passkeys; `nil` for any other error.
    private var passkeyKey: PreludeSessionMessage.Key? {
        switch code {
        case .passkeyNotConfigured?, .passkeyNotSupported?, .passkeyStepUnavailable?: return .passkeyUnavailable
        case .passkeyRegistrationFailed?, .passkeyFailed?: return .passkeyFailed
        case .passkeyAuthenticatorBlocked?: return .passkeyBlocked
        case .passkeyNotAssociated?: return .passkeyNotReady
        case .passkeyAlreadyRegistered?: return .passkeyExists
        default:
            if case .unauthorized = self, field == "assertion" { return .passkeyFailed }
            return nil
        }
    }
}

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
        case .passkeyUnavailable: "A passkey cannot be used here. Choose another way."
        case .passkeyFailed: "This did not work with the passkey. Try again, or choose another way."
        case .passkeyBlocked: "This kind of passkey is not accepted. Use another device or password manager."
        case .passkeyNotReady: "Passkeys are not ready on this device yet. Try again in a minute."
        case .passkeyExists: "This device already has a passkey for your account."
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
        let folders = [Bundle.main.resourceURL, Bundle(for: Anchor.self).resourceURL, Bundle.main.bundleURL]
        return folders.lazy.compactMap { $0?.appendingPathComponent("prelude-session_PreludeSession.bundle") }
            .compactMap(Bundle.init(url:)).first
    }
}
