public import Foundation

/// An error of the SDK. The texts are for logs and developers; they never contain a secret.
///
/// The text of a server's error ends in a suffix such as ` [code=rate_limited request=req_1 retry-after=42]`. Do not parse
/// it: read `code`, `requestID`, `retryAfter`, `field` and `needsNewCode`.
public enum PreludeSessionError: Error, Sendable {
    /// The server rejected the content of the request (400).
    case badRequest(String)
    /// The credentials are wrong, no user is signed in, or the session has ended (401).
    case unauthorized(String)
    /// Too many requests (429). Retry after `retryAfter` seconds.
    case rateLimited(String)
    /// The server failed (5xx). The session is kept.
    case internalServerError(String)
    /// The server expected a challenge token and got none (401).
    case missingChallengeToken(String)
    /// The challenge is denied, belongs to another session, or is at another step. Request the scope again.
    case invalidChallengeToken(String)
    /// The challenge has expired, by the server's clock. Request the scope again.
    case expiredChallengeToken(String)
    /// The challenge was redeemed before (409).
    case tokenReused(String)
    /// The one-time code is wrong, used up or expired: `needsNewCode` says whether the user can try again.
    case invalidOTPCode(String)
    /// The server's response to a refresh is invalid. The session is kept.
    case refreshFailed(String)
    /// An argument of the app is invalid. Nothing was sent.
    case invalidConfiguration(String)
    /// The password does not meet the app's rules.
    case invalidPassword(String)
    /// The user or the app is not allowed to do this (403).
    case forbidden(String)
    /// The call needs a scope that the session does not have (403).
    case insufficientScope(String)
    /// The requested object does not exist (404).
    case notFound(String)
    /// A conflicting object exists, such as the same identifier of another user (409).
    case conflict(String)
    /// No response in time. The session is kept.
    case timeout
    /// No connection to the service, or to the app's own backend if the call was for it. Also when a proxy in front of the
    /// service answers 502, 503 or 504. The session is kept.
    case network(underlying: any Error)
    /// An error code that this version of the SDK does not know.
    case generic(code: String, message: String)
    /// The credential store cannot be read or written now, for example on a locked device (`needsUnlock`). The session is
    /// kept. Retry later.
    case storageUnavailable(String)
    /// The device key is lost, so the session has ended. Sign in again.
    case deviceKeyLost(String)
}

extension PreludeSessionError: LocalizedError {
    /// The text of the error, in English, for developers and logs. Choose what users see by the case.
    public var errorDescription: String? {
        switch self {
        // The error does not say whether a user is signed in.
        case .timeout: "There was no answer in time. Try again; a session is kept."
        case .network(let cause as GatewayError): cause.summary
        case .network: transportFailure?.summary ?? "There was no answer. Try again later; a session is kept."
        case .generic(let code, let message): "\(code): \(message)"
        default: text
        }
    }

    /// The text of the case; `nil` for a case without one.
    var text: String? {
        switch self {
        case .badRequest(let text), .unauthorized(let text), .rateLimited(let text), .internalServerError(let text),
            .missingChallengeToken(let text), .invalidChallengeToken(let text), .expiredChallengeToken(let text),
            .tokenReused(let text), .invalidOTPCode(let text), .refreshFailed(let text),
            .invalidConfiguration(let text), .invalidPassword(let text), .forbidden(let text),
            .insufficientScope(let text), .notFound(let text), .conflict(let text), .storageUnavailable(let text),
            .deviceKeyLost(let text), .generic(_, let text):
            text
        case .timeout, .network: nil
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
