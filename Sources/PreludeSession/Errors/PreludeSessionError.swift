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
    /// An argument or a setting of the app is invalid.
    case invalidConfiguration(Details)
    /// The password does not meet the app's rules.
    case invalidPassword(Details)
    /// The user, the app or the device is not allowed or able to do this (403).
    case forbidden(Details)
    /// The call needs a scope that the session does not have (403).
    case insufficientScope(Details)
    /// The requested object does not exist (404).
    case notFound(Details)
    /// A conflicting object exists, such as the same identifier of another user (409), or a passkey of the same user on the
    /// device.
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
    private var details: Details? {
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

extension PreludeSessionError {
    /// What an error says: a text for developers and logs, and what the server said besides it.
    ///
    /// Previews and fakes of tests create errors with it:
    ///
    /// ```swift
    /// throw PreludeSessionError.rateLimited(.init("too many tries", retryAfter: 42))
    /// ```
    ///
    /// A literal is a text without facts: `.forbidden("not allowed")`.
    public struct Details: Sendable, Hashable {
        /// What happened, in English, for developers and logs. It never contains a secret.
        public var text: String
        /// The server's error code, or the SDK's own one for passkeys; `nil` for any other error of the SDK itself.
        public var code: PreludeSessionErrorCode?
        /// The member of the request that the error is about.
        public var field: String?
        /// Whether no code that was sent before can be accepted any more.
        public var needsNewCode: Bool
        /// Whether the credentials can be read again when the device is unlocked.
        public var needsUnlock: Bool
        /// The server's id of the request.
        public var requestID: String?
        /// Seconds until the next try.
        public var retryAfter: TimeInterval?

        /// Creates the details of an error.
        ///
        /// - Parameters:
        ///   - text: What happened, for developers and logs.
        ///   - code: The server's error code, or the SDK's own one.
        ///   - field: The member of the request that the error is about.
        ///   - needsNewCode: Whether no code that was sent before can be accepted any more.
        ///   - needsUnlock: Whether the credentials can be read again when the device is unlocked.
        ///   - requestID: The server's id of the request.
        ///   - retryAfter: Seconds until the next try.
        public init(
            _ text: String, code: PreludeSessionErrorCode? = nil, field: String? = nil, needsNewCode: Bool = false,
            needsUnlock: Bool = false, requestID: String? = nil, retryAfter: TimeInterval? = nil
        ) {
            self.text = text
            self.code = code
            self.field = field
            self.needsNewCode = needsNewCode
            self.needsUnlock = needsUnlock
            self.requestID = requestID
            self.retryAfter = retryAfter
        }
    }
}

extension PreludeSessionError.Details: ExpressibleByStringInterpolation {
    /// Creates a text without facts.
    public init(stringLiteral value: String) { self.init(value) }
}

extension PreludeSessionError.Details: CustomStringConvertible {
    /// The text, followed by the facts, such as `too many tries [code=rate_limited request=req_1 retry-after=42]`.
    public var description: String {
        let facts = [
            code.map { "code=\($0)" }, field.map { "field=\($0)" }, needsNewCode ? "new-code" : nil,
            needsUnlock ? "locked" : nil, requestID.map { "request=\($0)" },
            retryAfter.map { "retry-after=\(Self.seconds($0))" },
        ].compactMap { $0 }
        return facts.isEmpty ? text : "\(text) [\(facts.joined(separator: " "))]"
    }

    /// Without a fraction that is zero.
    private static func seconds(_ value: TimeInterval) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }
}

/// What a screen asks about an error. The answers come from the server's response; texts are not compared.
extension PreludeSessionError {
    /// The server's error code, or the SDK's own one for passkeys; `nil` for any other error of the SDK itself, such as
    /// `.timeout` or `.storageUnavailable`.
    public var code: PreludeSessionErrorCode? {
        if case .generic(let code, _) = self { return PreludeSessionErrorCode(rawValue: code) }
        return details?.code
    }

    /// The server's id of the request, to find it in the server's log.
    public var requestID: String? { details?.requestID }

    /// Seconds to wait before the next try, if the server sent them (`Retry-After`, RFC 9110 §10.2.3).
    public var retryAfter: TimeInterval? { details?.retryAfter }

    /// The member of the request that the error is about, such as `identifier`, `code`, `password` or `limit`; `nil` if the
    /// server named none.
    public var field: String? { details?.field }

    /// Whether the phone number or e-mail address is invalid, or one that the app sends no codes to. Show it at its field.
    public var isInvalidIdentifier: Bool {
        guard case .badRequest = self else { return false }
        let isNamed = field.map { $0 == "identifier" || $0.hasPrefix("identifier.") || $0 == "metadata.identifier" }
        return code == .invalidIdentifier || isNamed ?? false
    }

    /// Whether the account is suspended or closed. Another try does not help: the user must contact the app's support.
    ///
    /// Who has proven nothing does not learn it: a wrong code or password gets the usual error. `checkOTP(_:)` with a code
    /// that was sent before the account was suspended throws `.invalidOTPCode`.
    public var isAccountSuspended: Bool { code == .suspendedAccount || code == .inactiveUser }

    /// Whether no code that was sent before can be accepted any more, however often it is entered: its checks are used up,
    /// it has expired, or its login has ended.
    ///
    /// Offer another code: `resendOTP()`, or `sendStepUpOTP(_:)` in a step-up. If that call throws an error that needs a new
    /// code as well, or `.invalidChallengeToken`, start again with `startOTPLogin(_:)` or `requestStepUp(scope:metadata:)`.
    public var needsNewCode: Bool { details?.needsNewCode ?? false }
}

extension PreludeSessionError {
    /// The error of a store that works again when the device is unlocked. Throw it in a store of your own.
    ///
    /// - Parameter text: What failed, for developers and logs.
    /// - Returns: `.storageUnavailable` with `needsUnlock`.
    public static func deviceLocked(_ text: String) -> Self { .storageUnavailable(Details(text, needsUnlock: true)) }

    /// Whether the credentials can be read again when the device is unlocked. `false` for a damaged record, a record of a
    /// newer version of the SDK, and a full or failing disk.
    public var needsUnlock: Bool {
        if case .storageUnavailable(let details) = self { details.needsUnlock } else { false }
    }
}

extension PreludeSessionError: CustomStringConvertible, CustomReflectable {
    /// The case and its text. An underlying error shows only its type and code, because its text may contain whole URLs.
    public var description: String {
        switch self {
        case .timeout: "timeout"
        case .network(let cause): "network(underlying: \(Self.summary(of: cause)))"
        case .generic(let code, let message):
            "generic(code: \(code.debugDescription), message: \(message.description.debugDescription))"
        case .badRequest(let text): Self.text("badRequest", text)
        case .unauthorized(let text): Self.text("unauthorized", text)
        case .rateLimited(let text): Self.text("rateLimited", text)
        case .internalServerError(let text): Self.text("internalServerError", text)
        case .missingChallengeToken(let text): Self.text("missingChallengeToken", text)
        case .invalidChallengeToken(let text): Self.text("invalidChallengeToken", text)
        case .expiredChallengeToken(let text): Self.text("expiredChallengeToken", text)
        case .tokenReused(let text): Self.text("tokenReused", text)
        case .invalidOTPCode(let text): Self.text("invalidOTPCode", text)
        case .refreshFailed(let text): Self.text("refreshFailed", text)
        case .invalidConfiguration(let text): Self.text("invalidConfiguration", text)
        case .invalidPassword(let text): Self.text("invalidPassword", text)
        case .forbidden(let text): Self.text("forbidden", text)
        case .insufficientScope(let text): Self.text("insufficientScope", text)
        case .notFound(let text): Self.text("notFound", text)
        case .conflict(let text): Self.text("conflict", text)
        case .storageUnavailable(let text): Self.text("storageUnavailable", text)
        case .deviceKeyLost(let text): Self.text("deviceKeyLost", text)
        }
    }

    /// As `description`.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Type and code of an error that may come from outside the SDK.
    static func kind(of cause: any Error) -> String { "\(type(of: cause)) \((cause as NSError).code)" }

    /// Host and cause if they are known, and what `kind(of:)` says.
    static func summary(of cause: any Error) -> String {
        if let failure = PreludeSessionError.network(underlying: cause).transportFailure { return failure.description }
        return kind(of: cause)
    }

    private static func text(_ name: StaticString, _ details: Details) -> String {
        "\(name)(\(details.description.debugDescription))"
    }
}
