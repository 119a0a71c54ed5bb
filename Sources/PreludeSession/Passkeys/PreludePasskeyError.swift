internal import Foundation

/// Why an authenticator gives no answer.
public enum PreludePasskeyError: Error, Sendable, Hashable {
    /// The device cannot use passkeys, or not in this way.
    case notSupported
    /// The system does not know, or not yet, that the app belongs to the relying party.
    case notAssociated
    /// The authenticator has a passkey of this user already.
    case alreadyRegistered
    /// Any other failure.
    case failed
}

extension PreludePasskeyError {
    /// The domain of the errors of Apple's systems (`ASAuthorizationErrorDomain`).
    static let systemDomain = "com.apple.AuthenticationServices.AuthorizationError"

    /// The meaning of an error of Apple's systems. It is here, because this file is tested on every system.
    ///
    /// - Returns: The error itself if an app can do nothing about it.
    static func ofSystem(_ error: NSError) -> any Error {
        // A missing association has no code of its own, only a text.
        let texts = [error.localizedDescription, error.localizedFailureReason]
        if texts.contains(where: { $0?.contains("not associated with domain") ?? false }) { return notAssociated }
        guard error.domain == systemDomain else { return error }
        switch error.code {
        case 1001: return CancellationError()
        case 1006: return alreadyRegistered
        case 1010: return notSupported
        default: return error
        }
    }
}

extension PreludeSessionError {
    /// The error of a device without an authenticator.
    static var noPasskeyAuthenticator: PreludeSessionError {
        .forbidden(
            .init(
                "this device cannot use passkeys: they need iOS 16, macOS 13 or visionOS, elsewhere an authenticator in "
                    + "the client's configuration", code: .passkeyNotSupported))
    }

    /// The error of a challenge whose step is no passkey, or that has no options for it.
    static var noPasskeyStep: PreludeSessionError {
        .forbidden(.init("the step of this challenge cannot be done with a passkey", code: .passkeyStepUnavailable))
    }

    /// The error for an error of an authenticator. A `CancellationError` stays as it is.
    ///
    /// - Parameters:
    ///   - relyingPartyID: The host that the passkey is for.
    ///   - isCreation: Whether a passkey was to be created.
    static func passkeyError(_ error: any Error, relyingPartyID host: String, isCreation: Bool) -> any Error {
        switch error {
        case is PreludeSessionError, is CancellationError: return error
        case PreludePasskeyError.notSupported: return noPasskeyAuthenticator
        case PreludePasskeyError.notAssociated:
            return invalidConfiguration(
                .init(
                    "the system has not loaded the association of this app with \(host) yet. After an installation, wait a "
                        + "minute and try again with a network. If that does not help, check that the app has the "
                        + "associated domain webcredentials:\(host), and that "
                        + "https://\(host)/.well-known/apple-app-site-association contains the app",
                    code: .passkeyNotAssociated))
        case PreludePasskeyError.alreadyRegistered:
            return conflict(
                .init("the authenticator has a passkey of this user already", code: .passkeyAlreadyRegistered))
        default:
            let text = "the authenticator failed: \(kind(of: error))"
            return isCreation
                ? badRequest(.init(text, code: .passkeyRegistrationFailed))
                : generic(code: PreludeSessionErrorCode.passkeyFailed.rawValue, message: .init(text))
        }
    }
}

/// Codes of the SDK itself. No service sends them.
extension PreludeSessionErrorCode {
    /// The device cannot use passkeys, or not in this way.
    public static let passkeyNotSupported: Self = "passkey_not_supported"
    /// The system has not loaded the association of the app with the host of the passkeys, or there is none.
    ///
    /// In the first minutes after an installation this can be so. Let the user try again, or sign in in another way.
    public static let passkeyNotAssociated: Self = "passkey_not_associated"
    /// The device has a passkey of this user already.
    public static let passkeyAlreadyRegistered: Self = "passkey_already_registered"
    /// The authenticator failed at a sign-in.
    public static let passkeyFailed: Self = "passkey_failed"
}
