internal import Foundation
internal import PreludeSession

extension SessionUIText {
    /// What a view was doing when an error occurred.
    enum Situation: Sendable, Hashable {
        /// Signing in with a code.
        case signIn
        /// Using the session of a signed-in user.
        case session
    }

    /// The text to show for an error: the one table from errors to texts.
    ///
    /// - Parameter situation: What the view was doing.
    /// - Returns: `nil` for a cancelled call, which is not shown.
    static func shown(for error: any Error, in situation: Situation) -> SessionUIText? {
        if error is CancellationError { return nil }
        guard let error = error as? PreludeSessionError else { return SessionUIText(.failed) }
        switch error {
        case .network, .timeout: return SessionUIText(.noAnswer)
        case .rateLimited: return wait(error.retryAfter)
        case .invalidOTPCode: return SessionUIText(.wrongCode)
        case .invalidPassword: return SessionUIText(.passwordRejected)
        case .unauthorized: return SessionUIText(situation == .signIn ? .signInExpired : .signedOut)
        case .deviceKeyLost: return SessionUIText(.signedOut)
        case .storageUnavailable: return SessionUIText(.unlockDevice)
        case .expiredChallengeToken, .invalidChallengeToken, .missingChallengeToken, .tokenReused:
            return SessionUIText(situation == .signIn ? .signInExpired : .confirmationExpired)
        case .forbidden: return SessionUIText(.notPossible)
        case .insufficientScope: return SessionUIText(.confirmFirst)
        case .conflict: return SessionUIText(.inUse)
        case .badRequest, .internalServerError, .refreshFailed, .invalidConfiguration, .notFound, .generic:
            return SessionUIText(.failed)
        }
    }

    /// - Parameter seconds: Until the next try. Two minutes and more are shown in minutes, rounded up.
    private static func wait(_ seconds: TimeInterval?) -> SessionUIText {
        guard let seconds, seconds > 0 else { return SessionUIText(.waitSome) }
        guard seconds >= 120 else { return SessionUIText(.waitSeconds, .count(Int(seconds.rounded(.up)))) }
        return SessionUIText(.waitMinutes, .count(Int((seconds / 60).rounded(.up))))
    }
}

extension PreludeSessionError {
    /// Whether the login or the challenge that a code belongs to cannot continue.
    var endsCodeEntry: Bool {
        switch self {
        case .unauthorized, .badRequest, .expiredChallengeToken, .invalidChallengeToken, .missingChallengeToken,
            .tokenReused, .deviceKeyLost:
            true
        default: false
        }
    }
}
