public import Foundation

// The surface of the hosted product's SDK, generation 0.7, for apps that move from it.

/// The client by its name in the hosted SDK 0.7.
public typealias PreludeAuthClient = PreludeSessionClient

/// The error by its name in the hosted SDK 0.7.
public typealias PreludeAuthError = PreludeSessionError

/// The client by the name of the hosted SDK's module.
///
/// It is a type here, not a module: write `import PreludeSession`, and no `PreludeAuth.` before the name of another type.
public typealias PreludeAuth = PreludeSessionClient

extension PreludeSessionClient {
    /// Creates a client that can accept any certificate of a development service on this device.
    ///
    /// URLSession of Apple's systems then accepts any certificate of `localhost`, `127.0.0.1` and `::1`. All other hosts are
    /// checked as always, in each build: an attacker on the way would get their tokens. For a service on another machine,
    /// have the device trust your certificate authority, or pass a transport of your own.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the session service.
    ///   - hostOverride: The service's public host, if it differs from the endpoint's.
    ///   - signalsDispatcher: Collects device signals that are sent with logins.
    ///   - timeout: Total seconds per call.
    ///   - allowInsecureTLS: Whether any certificate of a service on this device is accepted.
    /// - Throws: Only `.invalidConfiguration`: as the other initializer, and, if `allowInsecureTLS` is `true`, for an https
    ///   endpoint on another device. On Linux for each https endpoint: pass an `AsyncHTTPClientTransport` with a
    ///   configuration there.
    public init(
        endpoint: Endpoint = .default, hostOverride: String? = nil,
        signalsDispatcher: (any PreludeSignalsDispatcher)? = nil, timeout: TimeInterval = 10, allowInsecureTLS: Bool
    ) throws {
        var configuration = Configuration(endpoint: endpoint)
        configuration.hostOverride = hostOverride
        configuration.signalsDispatcher = signalsDispatcher
        configuration.timeout = timeout
        if allowInsecureTLS {
            configuration.transport = try PreludeURLSessionTransport(acceptingAnyCertificateOf: endpoint)
        }
        try self.init(configuration: configuration)
    }
}

extension PreludeSessionClient {
    /// Changes the name of a passkey, as `renamePasskey(id:nickname:)`.
    ///
    /// - Parameters:
    ///   - credentialID: The passkey, by `PasskeyCredential.credentialID`.
    ///   - nickname: The new name. The empty text removes the name.
    /// - Throws: The errors of `renamePasskey(id:nickname:)`.
    public func renamePasskey(_ credentialID: String, nickname: String) async throws {
        try await renamePasskey(id: credentialID, nickname: nickname)
    }

    /// Deletes a passkey, as `deletePasskey(id:)`.
    ///
    /// - Parameter credentialID: The passkey, by `PasskeyCredential.credentialID`.
    /// - Throws: The errors of `deletePasskey(id:)`.
    public func deletePasskey(_ credentialID: String) async throws {
        try await deletePasskey(id: credentialID)
    }
}

extension PreludeSessionErrorCode {
    /// The call was cancelled, or the user cancelled the question for a passkey. Only a question to an error: a cancelled call
    /// throws `CancellationError`, and no error of the SDK has this code.
    public static let cancelled: Self = "cancelled"

    /// Whether an error has a code, for `catch` and `switch`:
    ///
    /// ```swift
    /// do {
    ///     _ = try await client.refresh()
    /// } catch PreludeSessionErrorCode.suspendedAccount {
    ///     print("Contact our support.")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - code: The code. `cancelled` matches a `CancellationError`.
    ///   - error: The error that was thrown.
    /// - Returns: Whether they match.
    public static func ~= (code: Self, error: any Error) -> Bool {
        code == .cancelled ? error is CancellationError : (error as? PreludeSessionError)?.code == code
    }
}

extension PreludeSessionError {
    /// Matches a cancelled call in `catch`: `catch PreludeSessionError.cancelled`.
    public static let cancelled = PreludeSessionErrorCode.cancelled

    /// Matches the error of a login that the app does not offer: `catch PreludeSessionError.noLoginConfig`.
    public static let noLoginConfig = PreludeSessionErrorCode.noLoginConfig

    /// Matches the error for a user without a password: `catch PreludeSessionError.passwordNotSet`.
    public static let passwordNotSet = PreludeSessionErrorCode.passwordNotSet

    /// Matches the error of an app without passkeys: `catch PreludeSessionError.passkeyNotConfigured`.
    public static let passkeyNotConfigured = PreludeSessionErrorCode.passkeyNotConfigured

    /// Matches the error of a registration that failed: `catch PreludeSessionError.passkeyRegistrationFailed`.
    public static let passkeyRegistrationFailed = PreludeSessionErrorCode.passkeyRegistrationFailed

    /// Matches the error of a step without a passkey: `catch PreludeSessionError.passkeyStepUnavailable`.
    public static let passkeyStepUnavailable = PreludeSessionErrorCode.passkeyStepUnavailable

    /// Matches the error of a device without passkeys: `catch PreludeSessionError.passkeyNotSupported`.
    public static let passkeyNotSupported = PreludeSessionErrorCode.passkeyNotSupported
}
