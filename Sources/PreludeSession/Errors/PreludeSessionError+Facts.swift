public import Foundation

/// What a screen asks about an error. The answers come from the server's response; texts are not compared.
extension PreludeSessionError {
    /// The server's error code; `nil` for an error of the SDK itself, such as `.timeout` or `.storageUnavailable`.
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
