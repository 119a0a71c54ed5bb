public import Foundation

/// What a call of the SDK can fail with. The texts are for logs and developers; none holds a secret.
public enum PreludeSessionError: Error, Sendable {
    /// The server refused the request's content (400).
    case badRequest(String)
    /// The credentials are wrong, or there is no session, or no longer (401).
    case unauthorized(String)
    /// Too many tries (429); see `retryAfter`.
    case rateLimited(String)
    /// The server failed (5xx). The session is kept.
    case internalServerError(String)
    /// The server expected a challenge and got none (401).
    case missingChallengeToken(String)
    /// The challenge is denied, of another session, or not at the step that was handed in: request the scope again.
    case invalidChallengeToken(String)
    /// The challenge's time is up, by the server's clock: request the scope again.
    case expiredChallengeToken(String)
    /// A challenge was redeemed before (409).
    case tokenReused(String)
    /// The one-time code is wrong or expired.
    case invalidOTPCode(String)
    /// The answer to a refresh could not be understood. The session is kept.
    case refreshFailed(String)
    /// The app passes something that cannot work; nothing was sent.
    case invalidConfiguration(String)
    /// The password does not meet the app's rules.
    case invalidPassword(String)
    /// The user or the app may not do this (403).
    case forbidden(String)
    /// The call needs a scope that the session does not have (403).
    case insufficientScope(String)
    /// There is no such thing (404).
    case notFound(String)
    /// Something like it is there already, such as an identifier of another user (409).
    case conflict(String)
    /// No answer in time. The session is kept.
    case timeout
    /// No connection: to the service, or to the app's own backend where that was called; or none behind a proxy of the
    /// service, which says so with 502, 503 or 504. The session is kept.
    case network(underlying: any Error)
    /// A code that this version of the SDK does not know.
    case generic(code: String, message: String)
    /// The store of credentials cannot be read or written now, as on a locked device. The session is kept; try again.
    case storageUnavailable(String)
    /// The device's key is gone, so the session cannot go on: sign in again.
    case deviceKeyLost(String)
}

extension PreludeSessionError: LocalizedError {
    /// The text of the error, for developers and logs, in English. What to show to people is for the app to say, by the
    /// case.
    public var errorDescription: String? {
        switch self {
        // Whoever was signed in still is; whether anybody was, and who did not answer, is not known here.
        case .timeout: "There was no answer in time. Try again; a session is kept."
        case .network: "There was no answer. Try again later; a session is kept."
        case .generic(let code, let message): "\(code): \(message)"
        default: message
        }
    }

    /// Seconds after which to try again, as the server said (`Retry-After`, RFC 9110 §10.2.3).
    public var retryAfter: TimeInterval? {
        if case .network(let cause as GatewayFailure) = self { return cause.retryAfter.map(TimeInterval.init) }
        // A server's own text can look like the trailer, so the number is judged here, too.
        let seconds = message.flatMap { ErrorTrailer.value("retry-after", in: $0) }.flatMap { Int($0) }
        return seconds.flatMap { (0...RetryAfter.maximum).contains($0) ? TimeInterval($0) : nil }
    }

    /// The server's name for the request, to find it in its log.
    public var requestID: String? {
        if case .network(let cause as GatewayFailure) = self { return cause.requestID }
        return message.flatMap { ErrorTrailer.value("request", in: $0) }
    }

    private var message: String? {
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

/// The end of a server error's text, `[request=… retry-after=…]`: readable in logs, and read back by the accessors, so
/// that the cases keep their one string.
enum ErrorTrailer {
    static func text(requestID: String?, retryAfter: Int?) -> String {
        let parts = [requestID.map { "request=\($0)" }, retryAfter.map { "retry-after=\($0)" }].compactMap { $0 }
        return parts.isEmpty ? "" : " [\(parts.joined(separator: " "))]"
    }

    static func value(_ name: String, in text: String) -> String? {
        guard text.hasSuffix("]"), let start = text.lastIndex(of: "[") else { return nil }
        let trailer = text[text.index(after: start)...].dropLast()
        return trailer.split(separator: " ").first { $0.hasPrefix(name + "=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}
