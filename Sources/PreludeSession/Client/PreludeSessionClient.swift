public import Foundation
internal import SessionTokens

/// Signs a user in and keeps the user signed in. Copies of a client share one session.
public struct PreludeSessionClient: Sendable {
    let engine: SessionEngine

    /// Creates a client with the settings that most apps need.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the session service.
    ///   - hostOverride: The service's public host, if it differs from the endpoint's, see `Configuration`.
    ///   - signalsDispatcher: Collects device signals that are sent with logins.
    ///   - timeout: Total seconds per call.
    /// - Throws: The errors of `init(configuration:)`.
    public init(
        endpoint: Endpoint = .default, hostOverride: String? = nil,
        signalsDispatcher: (any PreludeSignalsDispatcher)? = nil, timeout: TimeInterval = 10
    ) throws {
        var configuration = Configuration(endpoint: endpoint)
        configuration.hostOverride = hostOverride
        configuration.signalsDispatcher = signalsDispatcher
        configuration.timeout = timeout
        try self.init(configuration: configuration)
    }

    /// Creates a client, and starts to revoke sessions on the server that an earlier logout could not. It reads and sends
    /// nothing else yet.
    ///
    /// - Parameter configuration: The settings.
    /// - Throws: Only `.invalidConfiguration`: for an endpoint that is not an https origin (http is allowed for loopback),
    ///   an invalid host, a timeout of 0 seconds or less, a negative or infinite margin, or an invalid name of a credential space.
    public init(configuration: Configuration) throws {
        let origin = try configuration.endpoint.origin()
        let hostOverride = configuration.hostOverride
        if let hostOverride { try HostOverride.check(hostOverride) }
        let (timeout, environment) = (configuration.timeout, configuration.environment)
        guard timeout > 0 else { throw PreludeSessionError.invalidConfiguration("the timeout must be above 0 seconds") }
        try PreludeSessionError.rejectInvalid(margin: configuration.earlyRefreshMargin, "the early refresh margin")
        let log = SessionLog(handler: configuration.logHandler)
        let chosenStore = configuration.credentialStore ?? Defaults.credentials()
        let store = GuardedCredentialStore(store: chosenStore, log: log, timeout: timeout)
        let space = try CredentialSpace.suffix(configuration.credentialSpace)
        let endpoint = EndpointName.of(origin: origin, hostOverride: hostOverride, space: space)
        let records = RecordStore(store: store, endpoint: endpoint)
        let device = DeviceIdentity(
            records: records, keys: configuration.deviceKeyStore ?? Defaults.keys(with: store, log: log),
            environment: environment, log: log)
        let api = APIClient(
            origin: origin, hostOverride: hostOverride,
            transport: configuration.transport ?? PreludeURLSessionTransport(),
            timeout: timeout, device: device, environment: environment, log: log)
        engine = SessionEngine(
            api: api, device: device, records: records,
            changes: (chosenStore as? any SharedCredentialStore)?.changeSignal(of: endpoint),
            signals: configuration.signalsDispatcher,
            authenticator: configuration.passkeyAuthenticator ?? Defaults.passkeys(), environment: environment,
            margin: configuration.earlyRefreshMargin, log: log)
        engine.revocations.sendIfDue()
    }

    /// The time and randomness that the client was created with, for the product of views.
    @_spi(Service) public var environment: SDKEnvironment { engine.environment }

    // MARK: The session

    /// Returns the user with a valid access token, and refreshes the token if it expires soon.
    ///
    /// Concurrent callers share one request. Before a request to your backend you need no call: `data(for:)` and
    /// `authorize(_:)` refresh, and prove the possession of the device key if the token is bound to it.
    ///
    /// - Returns: The user with an access token that is valid for longer than the early refresh margin (30 seconds by
    ///   default).
    /// - Throws: `.unauthorized` when no user is signed in, or the session has ended; `.deviceKeyLost` when the device key is
    ///   lost, which ends the session. All other errors keep the session: `.network` and `.timeout` without a response,
    ///   `.internalServerError` and `.refreshFailed` for a failed or invalid response, `.storageUnavailable` when the
    ///   credentials cannot be read or written now.
    @discardableResult
    public func refresh() async throws -> PreludeUser {
        try await engine.refresh()
    }

    /// Returns an access token for a connection that is no https request, such as a WebSocket or the metadata of a gRPC
    /// call. Requests use `data(for:)` or `authorize(_:)`.
    ///
    /// A token that is bound to the device key needs a proof for its request (RFC 9449 §7): use `authorize(_:)` for it.
    ///
    /// - Parameter margin: Seconds for which the token must be valid at least. More than two thirds of the token's lifetime
    ///   count as two thirds, so that each token is used for a third of its lifetime.
    /// - Throws: The errors of `refresh()`, and `.invalidConfiguration` for a negative or infinite margin. Without a network,
    ///   a token that is valid for less than the margin is not returned; it stays valid for other calls.
    public func validAccessToken(margin: TimeInterval = 30) async throws -> String {
        try PreludeSessionError.rejectInvalid(margin: margin, "the margin")
        return try await engine.refresh(validFor: margin).accessToken
    }

    /// Makes the next call refresh the access token, for example after its claims have changed.
    ///
    /// - Throws: `.storageUnavailable` when the credentials cannot be read now.
    public func invalidateSession() async throws {
        try await engine.invalidateAccessToken()
    }

    /// The profile of the signed-in user. `nil` when no user is signed in, or the store cannot be read now.
    public var profile: PreludeProfile? {
        get async { await engine.knownSession().flatMap { try? PreludeProfile(accessToken: $0.accessToken) } }
    }

    /// The session's id, `ses_…`. `nil` in the same cases as `profile`.
    public var sessionID: String? { get async { await profile?.sessionID } }

    /// The current access token, which may have expired, for display and logs. For requests use `data(for:)` or
    /// `authorize(_:)`.
    public var accessToken: String? { get async { await engine.knownSession()?.accessToken } }

    /// When the current access token expires (`exp`, RFC 7519 §4.1.4), by the server's clock.
    public var accessTokenExpiresAt: Date? { get async { await engine.knownSession()?.accessTokenExpiresAt } }

    /// Signs out on this device, and returns when that is done. The client revokes the session on the server in the background
    /// or, offline, later.
    ///
    /// Without a session it does nothing. A process that ends soon calls `revokeEndedSessions()` afterwards.
    ///
    /// - Throws: `.storageUnavailable` when the credentials cannot be deleted. Even then the server gets the revocation.
    public func logout() async throws {
        try await engine.logout()
    }

    /// Waits until the server has revoked the sessions that have ended on this device, but at most 3 seconds.
    ///
    /// A client revokes them by itself, after a logout and when it is created, so apps need no call. Call it at the end of a
    /// process that ends soon, such as a command.
    public func revokeEndedSessions() async {
        await engine.finishRevocations()
    }
}

extension PreludeSessionClient {
    /// The settings of a client.
    ///
    /// ```swift
    /// var configuration = PreludeSessionClient.Configuration(endpoint: .custom("https://session.example.com"))
    /// configuration.earlyRefreshMargin = 60
    /// let client = try PreludeSessionClient(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The URL of the session service.
        public var endpoint: Endpoint
        /// The service's public host, if it differs from the endpoint's (a tunnel, a test): a name or an address, with or
        /// without a port. It is used in `Host` and in proofs.
        public var hostOverride: String?
        /// Collects device signals that are sent with logins.
        public var signalsDispatcher: (any PreludeSignalsDispatcher)?
        /// Total seconds per call. Waiting for another process's refresh takes up to three times this, at least 30 seconds.
        public var timeout: TimeInterval = 10
        /// Seconds before expiry from which an access token is refreshed.
        public var earlyRefreshMargin: TimeInterval = 30
        /// Keeps several accounts of one service apart, each signed in on its own: 1 to 64 lower-case letters, digits, `-`
        /// and `_`. `nil` is the only account of most apps.
        public var credentialSpace: String?
        /// Where credentials are kept. `nil` is the Keychain; on Linux a directory of the user for this executable.
        public var credentialStore: (any PreludeCredentialStore)?
        /// Where the device key is kept. `nil` is the Secure Enclave if the device has one, else the credential store.
        public var deviceKeyStore: (any PreludeDeviceKeyStore)?
        /// Creates passkeys and signs in with them. `nil` is the password manager of iOS 16, macOS 13 and visionOS; on other
        /// systems there is none then, and calls for passkeys throw an error with the code `passkey_not_supported`.
        public var passkeyAuthenticator: (any PreludePasskeyAuthenticator)?
        /// Sends requests. `nil` is URLSession. On Linux set another one: <doc:RunningOnLinux>.
        public var transport: (any PreludeSessionTransport)?
        /// Receives log entries. `nil` is no log.
        public var logHandler: (any PreludeSessionLogHandler)?
        /// Time and randomness. The product for tests sets its own.
        @_spi(Service) public var environment = SDKEnvironment.live

        /// Creates the standard settings.
        ///
        /// - Parameter endpoint: The URL of the session service.
        public init(endpoint: Endpoint = .default) { self.endpoint = endpoint }
    }
}

/// The stores and the authenticator of an app that passes none.
private enum Defaults {
    static func credentials() -> any PreludeCredentialStore {
        #if canImport(Security)
            PreludeKeychainCredentialStore()
        #else
            PreludeFileCredentialStore()
        #endif
    }

    static func keys(with store: any PreludeCredentialStore, log: SessionLog) -> any PreludeDeviceKeyStore {
        #if canImport(CryptoKit) && canImport(Security)
            PreludeSecureEnclaveDeviceKeyStore(store: store, log: log)
        #else
            PreludeSoftwareDeviceKeyStore(store: store)
        #endif
    }

    static func passkeys() -> (any PreludePasskeyAuthenticator)? {
        #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
            if #available(iOS 16, macOS 13, *) { return PreludeSystemPasskeyAuthenticator() }
        #endif
        return nil
    }
}
