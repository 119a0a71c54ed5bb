public import Foundation

/// An error of the SDK. The texts are for logs and developers; they never contain a secret.
///
/// What the server said is in `code`, `requestID`, `retryAfter`, `field` and `needsNewCode`. There will be no further case:
/// what a later version of the service reports is a further `code`, so a `switch` over the cases keeps compiling.
public enum PreludeSessionError: Error, Sendable {
    /// The server rejected the content of the request (400).
    case badRequest(Details)
    /// The credentials are wrong, no user is signed in, or the session has ended (401).
    case unauthorized(Details)
    /// Too many requests (429). Retry after `retryAfter` seconds.
    case rateLimited(Details)
    /// The server failed (5xx). The session is kept.
    case internalServerError(Details)
    /// The server expected a challenge token and got none (401).
    case missingChallengeToken(Details)
    /// The challenge is denied, belongs to another session, or is at another step. Request the scope again.
    case invalidChallengeToken(Details)
    /// The challenge has expired, by the server's clock. Request the scope again.
    case expiredChallengeToken(Details)
    /// The challenge was redeemed before (409).
    case tokenReused(Details)
    /// The one-time code is wrong, used up or expired: `needsNewCode` says whether the user can try again.
    case invalidOTPCode(Details)
    /// The server's response to a refresh is invalid. The session is kept.
    case refreshFailed(Details)
    /// An argument of the app is invalid. Nothing was sent.
    case invalidConfiguration(Details)
    /// The password does not meet the app's rules.
    case invalidPassword(Details)
    /// The user or the app is not allowed to do this (403).
    case forbidden(Details)
    /// The call needs a scope that the session does not have (403).
    case insufficientScope(Details)
    /// The requested object does not exist (404).
    case notFound(Details)
    /// A conflicting object exists, such as the same identifier of another user (409).
    case conflict(Details)
    /// No response in time. The session is kept.
    case timeout
    /// No connection to the service, or to the app's own backend if the call was for it. Also when a proxy in front of the
    /// service answers 502, 503 or 504. The session is kept.
    case network(underlying: any Error)
    /// An error code that this version of the SDK does not know.
    case generic(code: String, message: Details)
    /// The credential store cannot be read or written now, for example on a locked device (`needsUnlock`). The session is
    /// kept. Retry later.
    case storageUnavailable(Details)
    /// The device key is lost, so the session has ended. Sign in again.
    case deviceKeyLost(Details)
}

extension PreludeSessionError: LocalizedError {
    /// The text of the error, in English, for developers and logs. Choose what users see by the case.
    public var errorDescription: String? {
        switch self {
        // The error does not say whether a user is signed in.
        case .timeout: "There was no answer in time. Try again; a session is kept."
        case .network(let cause as GatewayError): cause.summary
        case .network: transportFailure?.summary ?? "There was no answer. Try again later; a session is kept."
        case .generic(let code, _): "\(code): \(details?.description ?? "")"
        default: details?.description
        }
    }

    /// What the error says; `nil` for `.timeout`, and for `.network` without a response of a gateway.
    var details: Details? {
        switch self {
        case .badRequest(let details), .unauthorized(let details), .rateLimited(let details),
            .internalServerError(let details),
            .missingChallengeToken(let details), .invalidChallengeToken(let details),
            .expiredChallengeToken(let details),
            .tokenReused(let details), .invalidOTPCode(let details), .refreshFailed(let details),
            .invalidConfiguration(let details), .invalidPassword(let details), .forbidden(let details),
            .insufficientScope(let details), .notFound(let details), .conflict(let details),
            .storageUnavailable(let details),
            .deviceKeyLost(let details), .generic(_, let details):
            return details
        case .network(let cause as GatewayError): return cause.details
        case .timeout, .network: return nil
        }
    }
}

extension PreludeSessionError {
    /// Rejects a blank argument before any request is sent.
    ///
    /// - Parameter name: The argument, as the error's sentence begins.
    static func rejectBlank(_ text: String, _ name: String) throws(PreludeSessionError) {
        guard !text.allSatisfy(\.isWhitespace) else { throw .invalidConfiguration("\(name) is blank") }
    }

    /// Rejects a margin that would have each call refresh the token, such as `.nan` or `.infinity`, and a negative one.
    ///
    /// - Parameter name: The argument, as the error's sentence begins.
    static func rejectInvalid(margin: TimeInterval, _ name: String) throws(PreludeSessionError) {
        guard margin >= 0, margin.isFinite else {
            throw .invalidConfiguration("\(name) must be a finite number of seconds, 0 or more")
        }
    }
}
