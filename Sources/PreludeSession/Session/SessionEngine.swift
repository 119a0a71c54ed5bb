internal import Foundation
internal import SessionWire

/// The one actor behind all copies of a client: it holds what is known of the session and performs what the machine
/// decides.
actor SessionEngine {
    let api: APIClient
    let device: DeviceIdentity
    let store: any CredentialStore
    let signals: (any PreludeSignalsDispatcher)?
    let environment: SDKEnvironment
    /// Names the records of this endpoint in the store.
    let name: String
    let margin: TimeInterval

    var machine = SessionMachine()
    var pendingLogin: PendingOTPLogin?
    var stepUps = StepUpFlows()
    var migrations = Migrations()
    /// The refresh under way; at most one since the last login or logout.
    var refreshing: RunningRefresh?
    var streams = EventStreams()
    /// The last nonce of each of the app's backends that wants one, by origin.
    var resourceNonces: [String: String] = [:]
    private var loggingOut: Task<Void, any Error>?

    init(
        api: APIClient, device: DeviceIdentity, store: any CredentialStore, signals: (any PreludeSignalsDispatcher)?,
        environment: SDKEnvironment, name: String, margin: TimeInterval
    ) {
        self.api = api
        self.device = device
        self.store = store
        self.signals = signals
        self.environment = environment
        self.name = name
        self.margin = margin
    }

    // MARK: Reading

    /// The session as stored; read when needed, and again when it could not be read before.
    func loaded() async throws -> StoredSession? {
        if case .unread = machine.knowledge {
            let fence = machine.fence
            let stored = try await readStore()
            machine.wasRead(stored, since: fence)
        }
        return machine.session
    }

    func readStore() async throws -> StoredSession? {
        try await store.read(name + ".session").map(StoredSession.decode)
    }

    // MARK: Writing

    /// Writes a session in place of another, unless a login or logout came between. Persist before publish.
    func replace(_ old: StoredSession, by new: StoredSession, fence: Int) async throws -> Bool {
        let data = try new.encoded()
        return try await store.withLock(name + ".write") {
            guard await self.machine.accepts(fence), try await self.readStore() == old else { return false }
            try await self.store.write(data, to: self.name + ".session")
            return true
        } && machine.accepts(fence)
    }

    /// Writes a session that a login made, unless another login or a logout came between.
    func adopt(_ session: StoredSession, fence: Int) async throws -> Bool {
        let data = try session.encoded()
        let isWritten = try await store.withLock(name + ".write") {
            guard await self.machine.accepts(fence) else { return false }
            try await self.store.write(data, to: self.name + ".session")
            // Within the lock, so that whoever waits for it sees the new fence.
            await self.publish(session)
            return true
        }
        if isWritten { await saveStepUps() }
        return isWritten
    }

    private func publish(_ session: StoredSession) {
        machine.signedIn(session)
        stepUps.forget()
        tell(SessionEvent.signedIn, of: session)
    }

    /// Wipes a session that is over, unless it was replaced meanwhile.
    func end(_ session: StoredSession, fence: Int, reason: SignOutReason) async throws {
        guard machine.accepts(fence) else { return }
        try await store.withLock(name + ".write") {
            guard try await self.readStore() == session else { return }
            try await self.store.delete(self.name + ".session")
        }
        guard machine.accepts(fence) else { return }
        signedOut(reason)
        await saveStepUps()
    }

    /// Forgets, in memory, the session and all that belongs to it.
    func signedOut(_ reason: SignOutReason) {
        let wasSignedIn = machine.session != nil
        machine.signedOut()
        stepUps.forget()
        if wasSignedIn { streams.send(.signedOut(reason)) }
    }

    /// Forgets the session on this device, whatever is going on.
    func wipe(_ reason: SignOutReason) async throws {
        signedOut(reason)
        pendingLogin = nil
        migrations.forget()
        try await store.withLock(name + ".write") { try await self.store.delete(self.name + ".session") }
        await saveStepUps()
    }

    // MARK: Signing out

    /// Signs out here at once; the server hears of it now or, offline, later. Racing callers share one logout.
    func logout() async throws {
        if let loggingOut { return try await loggingOut.value }
        let task = Task { try await self.performLogout() }
        loggingOut = task
        defer { if loggingOut == task { loggingOut = nil } }
        try await task.value
    }

    private func performLogout() async throws {
        let session = try await loaded()
        if let session { try await rememberRevocation(of: session) }
        try await wipe(.logout)
        if session != nil { await retryRevocations() }
    }

    // MARK: Calls with an access token

    /// Sends a call as the signed-in user. An access token that is refused is refreshed once, and the call repeated.
    ///
    /// - Parameter accessToken: The token to begin with; `nil` is one that is good for a while.
    func sendSignedIn(_ request: APIRequest, accessToken: String? = nil) async throws -> TransportAnswer {
        let token: String
        if let accessToken { token = accessToken } else { token = try await refresh().accessToken }
        do {
            return try await send(request, accessToken: token)
        } catch let refusal as ServerRefusal where refusal.status == 401 {
            // If somebody refreshed meanwhile, this marks nothing and their token is used.
            machine.invalidate(token)
            let renewed = try await refresh().accessToken
            return try await reporting { try await self.send(request, accessToken: renewed) }
        } catch let refusal as ServerRefusal {
            throw refusal.error
        }
    }

    private func send(_ request: APIRequest, accessToken: String) async throws -> TransportAnswer {
        var request = request
        request.accessToken = accessToken
        request.proof = .session
        return try await api.send(request)
    }

    /// Sends a call that needs no session.
    func sendAnonymous(_ request: APIRequest) async throws -> TransportAnswer {
        try await reporting { try await self.api.send(request) }
    }

    /// Nothing internal leaves the SDK as an error.
    func reporting<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        do {
            return try await work()
        } catch let refusal as ServerRefusal {
            throw refusal.error
        }
    }

    static func user(_ session: StoredSession) throws -> PreludeUser {
        do {
            return PreludeUser(
                accessToken: session.accessToken, profile: try PreludeProfile(accessToken: session.accessToken))
        } catch {
            throw PreludeSessionError.refreshFailed("the access token is not a JWT")
        }
    }
}
