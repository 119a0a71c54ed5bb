public import Foundation
internal import SessionTokens

/// Signs a user in and keeps the user signed in. Copies of a client share one session.
public struct PreludeSessionClient: Sendable {
    let engine: SessionEngine

    /// Creates a client. It reads and sends nothing yet.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the session service.
    ///   - hostOverride: The service's public host, if it differs from the endpoint's (a tunnel, a test): a name or an
    ///     address, with or without a port. It is used in `Host` and in proofs.
    ///   - signalsDispatcher: Collects device signals that are sent with logins.
    ///   - timeout: Total seconds per call. Waiting for another process's refresh takes up to three times this, at least
    ///     30 seconds.
    ///   - earlyRefreshMargin: Seconds before expiry from which an access token is refreshed.
    ///   - credentialStore: Where credentials are kept. `nil` is the Keychain; on Linux a directory of the user.
    ///   - deviceKeyStore: Where the device key is kept. `nil` is the Secure Enclave if the device has one, else the
    ///     credential store.
    ///   - transport: Sends requests. `nil` is URLSession.
    ///   - logHandler: Receives log entries. `nil` is no log.
    ///   - environment: Time and randomness. Tests can pass their own.
    /// - Throws: Only `.invalidConfiguration`: for an endpoint that is not an https origin (http is allowed for loopback),
    ///   an invalid host, a timeout of 0 seconds or less, or a negative margin.
    public init(
        endpoint: Endpoint = .default, hostOverride: String? = nil,
        signalsDispatcher: (any PreludeSignalsDispatcher)? = nil, timeout: TimeInterval = 10,
        earlyRefreshMargin: TimeInterval = 30, credentialStore: (any CredentialStore)? = nil,
        deviceKeyStore: (any DeviceKeyStore)? = nil, transport: (any SessionTransport)? = nil,
        logHandler: (any PreludeSessionLogHandler)? = nil, environment: SDKEnvironment = .live
    ) throws {
        let origin = try endpoint.origin()
        if let hostOverride { try HostOverride.check(hostOverride) }
        guard timeout > 0 else { throw PreludeSessionError.invalidConfiguration("the timeout must be above 0 seconds") }
        guard earlyRefreshMargin >= 0 else {
            throw PreludeSessionError.invalidConfiguration("the early refresh margin must be 0 seconds or more")
        }
        let log = SessionLog(handler: logHandler)
        let store = GuardedCredentialStore(
            store: credentialStore ?? DefaultStores.credentials(), log: log, timeout: timeout)
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        let records = RecordStore(store: store, endpoint: host + (hostOverride.map { "_" + $0 } ?? ""))
        let device = DeviceIdentity(
            records: records, keys: deviceKeyStore ?? DefaultStores.keys(with: store), environment: environment,
            log: log)
        let api = APIClient(
            origin: origin, hostOverride: hostOverride, transport: transport ?? URLSessionTransport(),
            timeout: timeout, device: device, environment: environment, log: log)
        engine = SessionEngine(
            api: api, device: device, records: records, signals: signalsDispatcher, environment: environment,
            margin: earlyRefreshMargin, log: log)
    }

    // MARK: Signing in

    /// Sends a code to a phone number or an e-mail address. Submit the code with `checkOTP(_:)`.
    ///
    /// The login is bound to this client by PKCE (RFC 7636 §4). It is kept in memory, so it ends with the process.
    ///
    /// - Parameter options: The recipient and the login configuration.
    /// - Throws: `.badRequest` for an invalid identifier, or one that the app sends no codes to; `.rateLimited` for too many
    ///   requests, see `PreludeSessionError.retryAfter`; `.network` and `.timeout` without a response.
    public func startOTPLogin(_ options: StartOTPLoginOptions) async throws {
        try await engine.startOTP(options)
    }

    /// Sends another code for the started login. The previous code becomes invalid.
    ///
    /// - Throws: `.unauthorized` when no login was started; `.rateLimited` when the last code was sent too recently;
    ///   `.network` and `.timeout` without a response.
    public func resendOTP() async throws {
        try await engine.resendOTP()
    }

    /// Signs in with a code.
    ///
    /// Before this returns, the session is stored and bound to the device key (RFC 9449 §5).
    ///
    /// - Parameter code: The digits, as the user typed them.
    /// - Returns: The user with a valid access token.
    /// - Throws: `.invalidOTPCode` for a wrong code, which can be retried; `.unauthorized` when no login was started, or when
    ///   another login or a logout came between; `.forbidden` for a user who is not allowed to sign in;
    ///   `.storageUnavailable` when the session cannot be stored; `.network` and `.timeout` without a response. Then call
    ///   it again with the same code.
    public func checkOTP(_ code: String) async throws -> PreludeUser {
        try await engine.checkOTP(code)
    }

    /// Signs in with a password. The password is neither stored nor printed.
    ///
    /// - Parameter options: The e-mail address and the password.
    /// - Returns: The user with a valid access token.
    /// - Throws: `.unauthorized` for wrong credentials, or when another login or a logout came between; `.forbidden` for a
    ///   user who is not allowed to sign in; `.rateLimited` after too many tries; `.storageUnavailable` when the session
    ///   cannot be stored; `.network` and `.timeout` without a response.
    public func loginWithPassword(_ options: LoginWithPasswordOptions) async throws -> PreludeUser {
        try await engine.login(options)
    }

    // MARK: Passwords

    /// The app's current rules for passwords. Needs no signed-in user.
    ///
    /// - Throws: `.network` and `.timeout` without a response.
    public func passwordCompliancy() async throws -> PreludePasswordCompliancy {
        try await engine.passwordCompliancy()
    }

    /// Fetches the app's rules and checks a password against them. The password is not sent.
    ///
    /// - Throws: The errors of `passwordCompliancy()`.
    public func validatePassword(_ password: String) async throws -> PreludePasswordCompliancyResults {
        Self.validate(password: password, against: try await passwordCompliancy())
    }

    /// Checks a password against rules without a request. It counts Unicode scalars by general category.
    ///
    /// - Parameters:
    ///   - password: The password, as the user typed it.
    ///   - compliancy: The rules, from `passwordCompliancy()`.
    public static func validate(
        password: String, against compliancy: PreludePasswordCompliancy
    ) -> PreludePasswordCompliancyResults {
        compliancy.check(password)
    }

    // MARK: The session

    /// Returns the user with a valid access token, and refreshes the token if it expires soon.
    ///
    /// Concurrent callers share one request.
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

    /// The current access token, which may have expired. For requests use `refresh()`.
    public var accessToken: String? { get async { await engine.knownSession()?.accessToken } }

    /// When the current access token expires (`exp`, RFC 7519 §4.1.4), by the server's clock.
    public var accessTokenExpiresAt: Date? { get async { await engine.knownSession()?.accessTokenExpiresAt } }

    /// Signs out on this device at once. The server revokes the session now or, offline, later.
    ///
    /// Without a session it does nothing.
    ///
    /// - Throws: `.storageUnavailable` when the credentials cannot be deleted.
    public func logout() async throws {
        try await engine.logout()
    }

    /// Lists the user's sessions, last seen first.
    ///
    /// - Parameter options: Which page.
    /// - Throws: `.badRequest` for a limit outside of 1–100 or a negative offset; `.unauthorized` when no user is signed in,
    ///   or the session has ended; `.network` and `.timeout` without a response.
    public func listSessions(_ options: ListSessionsOptions = ListSessionsOptions()) async throws
        -> ListSessionsResponse
    {
        try await engine.sessions(options)
    }

    /// Revokes sessions. If this session is among them, its credentials are deleted as by `logout()`.
    ///
    /// - Parameter target: Which sessions.
    /// - Throws: `.notFound` for a session that the user does not have; `.invalidConfiguration` for a blank id;
    ///   `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a response.
    public func revokeSessions(_ target: RevokeTarget) async throws {
        try await engine.revoke(target)
    }

    /// Lists the user's phone numbers and e-mail addresses.
    ///
    /// - Throws: `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a
    ///   response.
    public func identifiers() async throws -> [PreludeIdentifier] {
        try await engine.identifiers()
    }
}
