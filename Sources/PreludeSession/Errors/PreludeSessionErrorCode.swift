/// An error code of the service, such as `invalid_identifier`. Codes of a later version of the service are kept. The SDK has
/// codes of its own for what happens at the authenticator of passkeys.
///
/// ```swift
/// if error.code == .identifierAlreadyExists { showTaken() }
/// ```
public struct PreludeSessionErrorCode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The code, as the service sent it. A response that is not the service's has `http_` and its status.
    public let rawValue: String

    /// Creates a code.
    ///
    /// - Parameter rawValue: The code, as the service sends it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a code from a literal.
    public init(stringLiteral value: String) { rawValue = value }
}

extension PreludeSessionErrorCode: CustomStringConvertible {
    /// The code.
    public var description: String { rawValue }
}

extension PreludeSessionErrorCode {
    /// The request, or one of its members, is invalid.
    public static let badRequest: Self = "bad_request"
    /// The text is not a phone number or an e-mail address to which the app sends codes.
    public static let invalidIdentifier: Self = "invalid_identifier"
    /// The metadata of a step-up request exceeds a limit.
    public static let invalidMetadata: Self = "invalid_metadata"
    /// The limit of a page is not 1 to 100.
    public static let invalidPaginationLimit: Self = "invalid_pagination_limit"
    /// The offset of a page is negative.
    public static let invalidPaginationOffset: Self = "invalid_pagination_offset"
    /// The login with a code has ended. For a step of the app's own: its token is not accepted.
    public static let invalidVerificationToken: Self = "invalid_verification_token"
    /// The new password does not meet the app's rules.
    public static let invalidPassword: Self = "invalid_password"
    /// The user has no password.
    public static let passwordNotSet: Self = "password_not_set"
    /// The app does not offer this login.
    public static let noLoginConfig: Self = "no_login_config"
    /// The passkey was not registered: the authenticator failed, or the service rejects its answer.
    public static let passkeyRegistrationFailed: Self = "passkey_registration_failed"
    /// The proof of the device's key is invalid (RFC 9449 §4.3).
    public static let invalidDPoPProof: Self = "invalid_dpop_proof"
    /// The proof needs the server's nonce (RFC 9449 §8).
    public static let useDPoPNonce: Self = "use_dpop_nonce"

    /// The credentials are missing, wrong or expired.
    public static let unauthorized: Self = "unauthorized"
    /// The one-time code is wrong, used up or expired.
    public static let badCheckCode: Self = "bad_check_code"
    /// A proof of the device's key is required.
    public static let missingDPoPProof: Self = "missing_dpop_proof"
    /// The proof is by another key than the session's.
    public static let dpopKeyMismatch: Self = "dpop_key_mismatch"
    /// A challenge token is required.
    public static let missingChallengeToken: Self = "missing_challenge_token"
    /// The challenge cannot continue.
    public static let invalidChallengeToken: Self = "invalid_challenge_token"
    /// The challenge has expired.
    public static let expiredChallengeToken: Self = "expired_challenge_token"
    /// The token belongs to another session, user or challenge.
    public static let tokenMismatch: Self = "token_mismatch"

    /// The caller is not allowed to do this.
    public static let forbidden: Self = "forbidden"
    /// The app's backend denied the scope or failed.
    public static let authBlocked: Self = "auth_blocked"
    /// The app does not offer the scope.
    public static let scopeNotAllowed: Self = "scope_not_allowed"
    /// The app has no step-up.
    public static let notConfigured: Self = "not_configured"
    /// The app has no passkeys, or no login with them.
    public static let passkeyNotConfigured: Self = "passkey_not_configured"
    /// The scope needs a passkey and the user has none, or the step of the challenge is not one with a passkey.
    public static let passkeyStepUnavailable: Self = "passkey_step_unavailable"
    /// The app does not accept passkeys of this kind of authenticator.
    public static let passkeyAuthenticatorBlocked: Self = "passkey_authenticator_blocked"
    /// The user has no identifier of the type that the scope needs.
    public static let directScopeIdentifierMismatch: Self = "direct_scope_identifier_mismatch"
    /// The access token lacks a scope.
    public static let insufficientScope: Self = "insufficient_scope"
    /// The account is closed.
    public static let inactiveUser: Self = "inactive_user"
    /// The account is suspended.
    public static let suspendedAccount: Self = "suspended_account"

    /// The requested object does not exist.
    public static let notFound: Self = "not_found"
    /// A conflicting object exists.
    public static let conflict: Self = "conflict"
    /// Another user has the identifier.
    public static let identifierAlreadyExists: Self = "identifier_already_exists"
    /// A token was used before.
    public static let tokenReused: Self = "token_reused"
    /// The challenge has open steps.
    public static let stepNotCompleted: Self = "step_not_completed"
    /// The challenge has no such open step.
    public static let stepNotFound: Self = "step_not_found"
    /// Another step comes first.
    public static let stepBypassed: Self = "step_bypassed"

    /// A limit is reached.
    public static let rateLimited: Self = "rate_limited"
    /// The service failed.
    public static let internalError: Self = "internal"
}
