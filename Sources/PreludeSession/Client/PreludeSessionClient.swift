public import Foundation
internal import SessionTokens

/// Signs a user in and keeps them signed in. A value to copy freely: all copies share one session.
public struct PreludeSessionClient: Sendable {
    let engine: SessionEngine

    /// Makes a client. Nothing is read or sent yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where the session service is.
    ///   - hostOverride: The host the service is known by, where the endpoint's is another one (a tunnel, a test): a name
    ///     or an address, with or without a port. It goes into `Host` and into proofs.
    ///   - signalsDispatcher: Collects device signals that go along with logins.
    ///   - timeout: Seconds that an answer of the service may take in all. Who waits for a refresh of another process waits
    ///     for three times as long, and for 30 seconds at least.
    ///   - earlyRefreshMargin: Seconds before its end from which an access token is refreshed.
    ///   - credentialStore: Where credentials are kept; `nil` is the Keychain, on Linux a directory of the user's.
    ///   - deviceKeyStore: Where the device's key is kept; `nil` is the Secure Enclave where there is one, else with
    ///       the credentials.
    ///   - transport: What carries requests; `nil` is URLSession.
    ///   - logHandler: Told what the client does; `nil` is no log.
    ///   - environment: Time and randomness; the device's own, unless a test brings others.
    /// - Throws: `.invalidConfiguration` for an endpoint that is no origin or not https (http is for loopback only), a host
    ///   that is none, a timeout of 0 seconds or less, or a negative margin; nothing else.
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
            store: credentialStore ?? StandardStores.credentials(), log: log, timeout: timeout)
        let name = String(origin.drop { $0 != "/" }.dropFirst(2)) + (hostOverride.map { "_" + $0 } ?? "")
        let device = DeviceIdentity(
            name: name, store: store, keys: deviceKeyStore ?? StandardStores.keys(with: store),
            environment: environment, log: log)
        let api = APIClient(
            origin: origin, hostOverride: hostOverride, transport: transport ?? URLSessionTransport(),
            timeout: timeout, device: device, environment: environment, log: log)
        engine = SessionEngine(
            api: api, device: device, store: store, signals: signalsDispatcher, environment: environment, name: name,
            margin: earlyRefreshMargin, log: log)
    }

    // MARK: Signing in

    /// Sends a code to a phone number or an e-mail address and waits for it in `checkOTP(_:)`.
    ///
    /// The login is bound to this client by PKCE (RFC 7636 §4). It lives in memory, so it ends with the process.
    ///
    /// - Parameter options: Where the code goes, and by which login configuration of the app.
    /// - Throws: `.badRequest` for an identifier that is none, or that the app sends no codes to; `.rateLimited` when codes
    ///   are asked for too often, see `PreludeSessionError.retryAfter`; `.network` and `.timeout` when there was no answer.
    public func startOTPLogin(_ options: StartOTPLoginOptions) async throws {
        try await engine.startOTP(options)
    }

    /// Sends another code for the login that waits; the last one is dead.
    ///
    /// - Throws: `.unauthorized` when no login waits; `.rateLimited` when the last code is too young; `.network` and
    ///   `.timeout` when there was no answer.
    public func resendOTP() async throws {
        try await engine.resendOTP()
    }

    /// Signs in with the code.
    ///
    /// The session is stored before this returns, bound to the device's key (RFC 9449 §5).
    ///
    /// - Parameter code: The digits, as the user typed them.
    /// - Returns: The user, with an access token that is good for a while.
    /// - Throws: `.invalidOTPCode` for a wrong one, which can be tried again; `.unauthorized` when no login waits, or when
    ///   another login or a logout came between; `.forbidden` for a user who may not sign in; `.storageUnavailable` when the
    ///   session cannot be kept; `.network` and `.timeout` when there was no answer, and the same code goes on from there.
    public func checkOTP(_ code: String) async throws -> PreludeUser {
        try await engine.checkOTP(code)
    }

    /// Signs in with a password, which is neither stored nor printed.
    ///
    /// - Parameter options: The e-mail address and the password.
    /// - Returns: The user, with an access token that is good for a while.
    /// - Throws: `.unauthorized` for wrong credentials, or when another login or a logout came between; `.forbidden` for a
    ///   user who may not sign in; `.rateLimited` after too many tries; `.storageUnavailable` when the session cannot be
    ///   kept; `.network` and `.timeout` when there was no answer.
    public func loginWithPassword(_ options: LoginWithPasswordOptions) async throws -> PreludeUser {
        try await engine.login(options)
    }

    // MARK: Passwords

    /// The app's rules for passwords, as the service has them now. Nobody needs to be signed in.
    ///
    /// - Throws: `.network` and `.timeout` when there was no answer.
    public func passwordCompliancy() async throws -> PreludePasswordCompliancy {
        try await engine.passwordCompliancy()
    }

    /// Fetches the rules and checks a password against them here; the password goes nowhere.
    ///
    /// - Throws: As `passwordCompliancy()`.
    public func validatePassword(_ password: String) async throws -> PreludePasswordCompliancyResults {
        Self.validate(password: password, against: try await passwordCompliancy())
    }

    /// Checks a password against rules at hand, by Unicode general category, counting scalars. Asks nobody.
    ///
    /// - Parameters:
    ///   - password: What the user typed.
    ///   - compliancy: The rules, from `passwordCompliancy()`.
    public static func validate(
        password: String, against compliancy: PreludePasswordCompliancy
    ) -> PreludePasswordCompliancyResults {
        compliancy.check(password)
    }

    // MARK: The session

    /// The user with an access token that is good for a while: the one at hand, or a new one by one request for all who
    /// ask at the same time.
    ///
    /// - Returns: The user, with an access token that outlasts the early refresh margin (30 seconds unless the client was
    ///   made with another one).
    /// - Throws: `.unauthorized` when nobody is signed in, or no longer; `.deviceKeyLost` when the device's key is gone, and
    ///   the session with it. Everything else keeps the session: `.network` and `.timeout` without an answer,
    ///   `.internalServerError` and `.refreshFailed` for one that is of no use, `.storageUnavailable` when the credentials
    ///   cannot be read or written now.
    @discardableResult
    public func refresh() async throws -> PreludeUser {
        try await engine.refresh()
    }

    /// Lets the next call fetch a new access token, although this one's time is not up, as after claims have changed.
    ///
    /// - Throws: `.storageUnavailable` when the credentials cannot be read now.
    public func invalidateSession() async throws {
        try await engine.invalidateAccessToken()
    }

    /// Who is signed in; `nil` for nobody, and while the store cannot be read.
    public var profile: PreludeProfile? {
        get async { await engine.peek().flatMap { try? PreludeProfile(accessToken: $0.accessToken) } }
    }

    /// `ses_…` of the session, as `profile`.
    public var sessionID: String? { get async { await profile?.sessionID } }

    /// The access token at hand, possibly spent. For calls use `refresh()`.
    public var accessToken: String? { get async { await engine.peek()?.accessToken } }

    /// When the access token at hand ends (`exp`, RFC 7519 §4.1.4), by the server's clock.
    public var accessTokenExpiresAt: Date? { get async { await engine.peek()?.accessTokenExpiresAt } }

    /// Signs out: here at once, on the server now or, offline, later.
    ///
    /// Idempotent: without a session there is nothing to do.
    ///
    /// - Throws: `.storageUnavailable` when the credentials cannot be wiped.
    public func logout() async throws {
        try await engine.logout()
    }

    /// The user's sessions, last seen first.
    ///
    /// - Parameter options: Which page of them.
    /// - Throws: `.badRequest` for a limit outside of 1–100 or a negative offset; `.unauthorized` when nobody is signed in,
    ///   or no longer; `.network` and `.timeout` when there was no answer.
    public func listSessions(_ options: ListSessionsOptions = ListSessionsOptions()) async throws
        -> ListSessionsResponse
    {
        try await engine.sessions(options)
    }

    /// Ends sessions. When this one is among them, its credentials are wiped as by `logout()`.
    ///
    /// - Parameter target: Which ones.
    /// - Throws: `.notFound` for a session that the user does not have; `.invalidConfiguration` for a blank id;
    ///   `.unauthorized` when nobody is signed in, or no longer; `.network` and `.timeout` when there was no answer.
    public func revokeSessions(_ target: RevokeTarget) async throws {
        try await engine.revoke(target)
    }

    /// The phone numbers and e-mail addresses of the user.
    ///
    /// - Throws: `.unauthorized` when nobody is signed in, or no longer; `.network` and `.timeout` when there was no answer.
    public func identifiers() async throws -> [PreludeIdentifier] {
        try await engine.identifiers()
    }
}
