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
    private let margin: TimeInterval

    var machine = SessionMachine()
    var pendingLogin: PendingOTPLogin?
    /// The refresh under way, and the fence it began at: whoever signed in since waits for one of their own.
    private var refreshing: (fence: Int, task: Task<PreludeUser, any Error>)?
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

    // MARK: Refreshing

    /// A user with a good access token: the one at hand, else by one refresh for all who ask.
    func refresh() async throws -> PreludeUser {
        _ = try await loaded()
        switch machine.need(serverTime: try await device.serverTime(), margin: margin) {
        case .nothing(let session): return try Self.user(session)
        case .read, .signIn: throw PreludeSessionError.unauthorized("nobody is signed in")
        case .refresh:
            let fence = machine.fence
            if let refreshing, refreshing.fence == fence { return try await refreshing.task.value }
            // A task of its own: a caller who gives up does not take the others' refresh along.
            let task = Task { try await self.performRefresh(fence: fence) }
            refreshing = (fence, task)
            defer { if refreshing?.task == task { refreshing = nil } }
            return try await task.value
        }
    }

    private func performRefresh(fence: Int) async throws -> PreludeUser {
        let user = try await store.withLock(name + ".refresh") { try await self.refreshAlone(fence: fence) }
        await retryRevocations()
        return user
    }

    /// Nobody else refreshes this session now, in this process or another.
    private func refreshAlone(fence: Int) async throws -> PreludeUser {
        guard let stored = try await readStore() else {
            // Signed out by another client of the same store.
            if machine.accepts(fence) { machine.signedOut() }
            throw PreludeSessionError.unauthorized("the session was ended by another client")
        }
        if machine.accepts(fence), stored != machine.session {
            // Refreshed by another client of the same store: its token is as good as a new one.
            machine.refreshed(stored)
            if case .nothing(let session) = machine.need(serverTime: try await device.serverTime(), margin: margin) {
                return try Self.user(session)
            }
        }
        let answer = try await spend(stored, fence: fence)
        let next = try TokenAnswer.session(answer, previous: stored)
        guard try await replace(stored, by: next, fence: fence) else {
            throw PreludeSessionError.unauthorized("the session was ended or replaced meanwhile")
        }
        machine.refreshed(next)
        return try Self.user(next)
    }

    /// Sends the refresh token, once more when the answer may have been lost: the server repeats it for the same key.
    private func spend(_ stored: StoredSession, fence: Int) async throws -> TransportAnswer {
        var request = APIRequest(.refresh)
        request.proof = .session
        request.headers[HeaderName.refreshToken] = stored.refreshToken
        do {
            do {
                return try await api.send(request)
            } catch PreludeSessionError.network {
                return try await api.send(request)
            }
        } catch let refusal as ServerRefusal {
            guard refusal.status == 401 else { throw refusal.error }
            // A definite no. Only now is the session over, and only if it is still the one that was asked about.
            try await end(stored, fence: fence)
            if refusal.code == .dpopKeyMismatch {
                throw PreludeSessionError.deviceKeyLost("the device key is not the session's; sign in again")
            }
            throw refusal.error
        } catch PreludeSessionError.deviceKeyLost(let text) {
            try await end(stored, fence: fence)
            throw PreludeSessionError.deviceKeyLost(text)
        }
    }

    // MARK: Writing

    /// Writes a session in place of another, unless a login or logout came between. Persist before publish.
    private func replace(_ old: StoredSession, by new: StoredSession, fence: Int) async throws -> Bool {
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
        return isWritten
    }

    private func publish(_ session: StoredSession) { machine.signedIn(session) }

    /// Wipes a session that is over, unless it was replaced meanwhile.
    private func end(_ session: StoredSession, fence: Int) async throws {
        guard machine.accepts(fence) else { return }
        try await store.withLock(name + ".write") {
            guard try await self.readStore() == session else { return }
            try await self.store.delete(self.name + ".session")
        }
        if machine.accepts(fence) { machine.signedOut() }
    }

    /// Forgets the session on this device, whatever is going on.
    func wipe() async throws {
        machine.signedOut()
        pendingLogin = nil
        try await store.withLock(name + ".write") { try await self.store.delete(self.name + ".session") }
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
        try await wipe()
        if session != nil { await retryRevocations() }
    }

    // MARK: Calls with an access token

    /// Sends a call as the signed-in user. An access token that is refused is refreshed once, and the call repeated.
    func sendSignedIn(_ request: APIRequest) async throws -> TransportAnswer {
        let token = try await refresh().accessToken
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
