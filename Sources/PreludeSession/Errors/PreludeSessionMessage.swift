internal import Foundation

/// What to show to a user for an error: a key of the string catalogue `PreludeSessionErrors.xcstrings`, and its number.
///
/// The catalogue has each text in English, French, German, Spanish and Japanese.
public struct PreludeSessionMessage: Sendable, Hashable {
    /// The keys of the catalogue.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// No response. The session is kept.
        case noConnection = "prelude_session.no_connection"
        /// Show the login.
        case signIn = "prelude_session.sign_in"
        /// The e-mail address or the password of `loginWithPassword(_:)` is wrong.
        case wrongPassword = "prelude_session.wrong_password"
        /// The user can enter the code again.
        case wrongCode = "prelude_session.wrong_code"
        /// Offer to send another code.
        case newCode = "prelude_session.new_code"
        /// Show the rules for passwords.
        case weakPassword = "prelude_session.weak_password"
        /// Wait some seconds.
        case waitSeconds = "prelude_session.wait_seconds"
        /// Wait some minutes.
        case waitMinutes = "prelude_session.wait_minutes"
        /// Wait some hours.
        case waitHours = "prelude_session.wait_hours"
        /// Wait for an unknown time.
        case waitLater = "prelude_session.wait_later"
        /// Show it at the field of the phone number or e-mail address.
        case invalidIdentifier = "prelude_session.invalid_identifier"
        /// The account is suspended or closed.
        case accountBlocked = "prelude_session.account_blocked"
        /// The user or the app is not allowed to do this.
        case notAllowed = "prelude_session.not_allowed"
        /// Start a step-up.
        case confirmIdentity = "prelude_session.confirm_identity"
        /// Another user has the phone number or e-mail address.
        case taken = "prelude_session.taken"
        /// The step-up has ended. Start it again.
        case startAgain = "prelude_session.start_again"
        /// The credentials cannot be read while the device is locked. Retry when the app is in the foreground.
        case unlockDevice = "prelude_session.unlock_device"
        /// The credentials are damaged or of a newer version of the app, or the disk is full or fails.
        case storageFailed = "prelude_session.storage_failed"
        /// Any other failure.
        case failed = "prelude_session.failed"
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
}
