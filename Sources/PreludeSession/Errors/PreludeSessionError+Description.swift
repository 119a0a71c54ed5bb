internal import Foundation

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
