internal import Foundation
internal import SessionWire

/// The actor behind all copies of a client. It holds the state of the session and performs what the state machines decide.
///
/// `client.refresh()` in reading order: `SessionEngine+Refresh` (who refreshes), `SessionMachine` (is a refresh needed, is
/// its result still wanted), `RefreshExchange` (what an answer means), `APIClient` (request and proof),
/// `SessionEngine+Storage` (persist, then publish).
///
/// Each extension holds the calls of one topic: `+Refresh`, `+Storage`, `+Logout`, `+Login`, `+Migration`, `+StepUp`,
/// `+SignedInCalls`, `+AppCalls`, `+Sessions`, `+Password`.
actor SessionEngine {
    let api: APIClient
    let device: DeviceIdentity
    let records: RecordStore
    let revocations: RevocationQueue
    /// Tells other processes of changes of the session; `nil` if no other process shares the store.
    let changes: (any ChangeSignal)?
    let signals: (any PreludeSignalsDispatcher)?
    let environment: SDKEnvironment
    /// Seconds before expiry from which an access token is refreshed.
    let margin: TimeInterval
    let log: SessionLog

    var machine = SessionMachine() {
        didSet {
            // The tokens in the caches and the code must not outlive their session.
            if machine.session == nil { (cachedUser, cachedBinding, redeemedCode) = (nil, nil, nil) }
            if machine.knowledge != oldValue.knowledge { publishState() }
        }
    }
    /// What the app sees of the session.
    var state = SessionState.unknown {
        didSet { if state != oldValue { stateStreams.send(state) } }
    }
    /// Why the last session ended on this device. It counts only while no user is signed in.
    var signOutReason: PreludeSignOutReason?
    /// The user of the current access token. Decoding the token is the main cost of a `refresh()` without a request.
    private var cachedUser: PreludeUser?
    /// The binding of the current access token, which each request needs.
    private var cachedBinding: AccessTokenBinding?
    /// The refresh in progress; at most one since the last login or logout.
    var refreshing: RunningRefresh?
    /// The logout in progress.
    var loggingOut: Task<LogoutOutcome, Never>?
    /// The wipe that the store has not finished yet.
    var pendingWipe: PendingWipe?
    var pendingLogin: PendingLogin?
    /// The code that began the session, for a password reset that continues.
    var redeemedCode: RedeemedCode?
    /// Counts started OTP logins, logins and logouts. A response to an older start is dropped.
    var loginAttempt = 0
    var migrations = Migrations()
    var stepUps = StepUpFlows()
    var streams = EventStreams<SessionEvent>(buffer: 64)
    var stateStreams = EventStreams<SessionState>(buffer: 1)
    /// How many streams of events and states there are.
    var followers = 0
    /// Observes the changes of other processes while there is a stream.
    var observation: AnyObject?
    /// The nonces of the app's own backends.
    var backendNonces = BackendNonces()

    init(
        api: APIClient, device: DeviceIdentity, records: RecordStore, changes: (any ChangeSignal)?,
        signals: (any PreludeSignalsDispatcher)?, environment: SDKEnvironment, margin: TimeInterval, log: SessionLog
    ) {
        self.api = api
        self.device = device
        self.records = records
        self.changes = changes
        self.signals = signals
        self.environment = environment
        self.margin = margin
        self.log = log
        revocations = RevocationQueue(api: api, records: records, environment: environment, log: log)
    }

    /// The session. If none is known, it reads the store again: another client of the store may have signed in.
    ///
    /// - Throws: `.storageUnavailable` when the store cannot be read now.
    func loaded() async throws -> StoredSession? {
        guard machine.session == nil else { return machine.session }
        do {
            try await read()
        } catch {
            if machine.knowledge == .unread { publishUnreadable(error) }
            throw error
        }
        return machine.session
    }

    private func read() async throws {
        if pendingWipe != nil {
            try await finishWipe()
            // The store that refused the wipe may have refused the queue, too.
            revocations.send()
        }
        let fence = machine.fence
        let stored = try await records.sessionOrEnd()
        guard machine.accepts(fence), machine.session == nil else { return }
        let wasSignedOut = machine.knowledge == .signedOut
        signOutReason = wasSignedOut ? reason(orOfAnotherClient: stored.reason) : stored.reason
        machine.wasRead(stored.session, since: fence)
        // The reason may have changed alone.
        publishState()
        if wasSignedOut, let session = stored.session { emit(SessionEvent.signedIn, of: session) }
    }

    /// The known reason of a sign-out, or that of a later session of another client of the store.
    private func reason(orOfAnotherClient stored: PreludeSignOutReason?) -> PreludeSignOutReason? {
        // The store may have refused the known one.
        guard let stored, stored != signOutReason else { return signOutReason }
        return stored.inAnotherClient
    }

    /// The session as far as it is known: `nil` also when the store cannot be read. Never waits for a refresh.
    func knownSession() async -> StoredSession? {
        do {
            return try await loaded()
        } catch {
            return machine.session
        }
    }

    /// Makes the next call refresh the access token before it expires.
    func invalidateAccessToken() async throws {
        if let token = try await loaded()?.accessToken { machine.invalidate(token) }
    }

    /// The user of a session's access token.
    ///
    /// - Throws: `.refreshFailed` when the access token is not a JWT of a user.
    func user(_ session: StoredSession) throws -> PreludeUser {
        if let cachedUser, cachedUser.accessToken == session.accessToken { return cachedUser }
        let user = try PreludeUser(accessToken: session.accessToken)
        if machine.session == session { cachedUser = user }
        return user
    }

    /// The binding of an access token. That of the session's token is computed once.
    func binding(of accessToken: String) -> AccessTokenBinding {
        if let cachedBinding, cachedBinding.accessToken == accessToken { return cachedBinding }
        let binding = AccessTokenBinding(accessToken)
        if machine.session?.accessToken == accessToken { cachedBinding = binding }
        return binding
    }

    /// The server's time, or the device's when the store cannot be read.
    func estimatedServerTime() async -> Date {
        do {
            return try await device.serverTime()
        } catch {
            return environment.now()
        }
    }
}
