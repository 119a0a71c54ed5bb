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
    let log: SessionLog

    var machine = SessionMachine() {
        // Tokens are kept no longer than their session.
        didSet { if machine.session == nil { knownUser = nil } }
    }
    /// The user of the last access token: to read a token costs more than all else in a `refresh()` that is warm.
    private var knownUser: PreludeUser?
    var pendingLogin: PendingOTPLogin?
    /// Counts started OTP logins and logouts: an answer to an older start is of no use.
    var loginAttempt = 0
    /// The login fence of a wipe that has not reached the store yet.
    private var unfinishedWipe: Int?
    var stepUps = StepUpFlows()
    var migrations = Migrations()
    /// The refresh under way; at most one since the last login or logout.
    var refreshing: RunningRefresh?
    var streams = EventStreams()
    /// The last nonce of each of the app's backends that wants one, by origin.
    var resourceNonces: [String: String] = [:]
    private var loggingOut: Task<Bool, any Error>?
    /// Tells the server of ended sessions; one at a time.
    var revoking: Task<Void, Never>?
    /// Whether there was something more to tell since it began.
    var revokesAgain = false

    init(
        api: APIClient, device: DeviceIdentity, store: any CredentialStore, signals: (any PreludeSignalsDispatcher)?,
        environment: SDKEnvironment, name: String, margin: TimeInterval, log: SessionLog = .none
    ) {
        self.api = api
        self.device = device
        self.store = store
        self.signals = signals
        self.environment = environment
        self.name = name
        self.margin = margin
        self.log = log
    }

    // MARK: Reading

    /// The session as stored; read when none is known, for another client of the store may have signed in.
    func loaded() async throws -> StoredSession? {
        guard machine.session == nil else { return machine.session }
        try await finishWipe()
        let fence = machine.fence
        let wasSignedOut = machine.knowledge == .signedOut
        let stored = try await readStore()
        let isTaken = machine.wasRead(stored, since: fence)
        if isTaken, wasSignedOut, let stored { tell(SessionEvent.signedIn, of: stored) }
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
            guard await self.machine.acceptsLogin(fence) else { return false }
            try await self.store.write(data, to: self.name + ".session")
            // Within the lock, so that whoever waits for it sees the new fence.
            guard await self.publish(session, fence: fence) else {
                // A logout began while this was written.
                try await self.store.delete(self.name + ".session")
                return false
            }
            return true
        }
        if isWritten { await saveStepUps() }
        return isWritten
    }

    private func publish(_ session: StoredSession, fence: Int) -> Bool {
        guard machine.acceptsLogin(fence) else { return false }
        machine.signedIn(session)
        unfinishedWipe = nil
        stepUps.forget()
        tell(SessionEvent.signedIn, of: session)
        log(.info, "signed in", session.logAttributes)
        return true
    }

    /// Wipes a session that is over.
    ///
    /// - Returns: `false` when it was replaced meanwhile, here or by another client, so that nobody is signed out.
    func end(_ session: StoredSession, fence: Int, reason: SignOutReason) async throws -> Bool {
        guard machine.accepts(fence) else { return false }
        let isOver = try await store.withLock(name + ".write") {
            let stored = try await self.readStore()
            guard stored == session else { return stored == nil }
            try await self.store.delete(self.name + ".session")
            return true
        }
        guard machine.accepts(fence) else { return false }
        guard isOver else {
            machine.forget()
            return false
        }
        signedOut(reason, byUser: false)
        await saveStepUps()
        return true
    }

    /// Forgets, in memory, the session and all that belongs to it.
    func signedOut(_ reason: SignOutReason, byUser: Bool) {
        let ended = machine.session
        machine.signedOut(byUser: byUser)
        stepUps.forget()
        guard let ended else { return }
        log(.info, "signed out", [.term("reason", reason.rawValue)] + ended.logAttributes)
        streams.send(.signedOut(reason))
    }

    /// Forgets the session on this device, whatever is going on.
    ///
    /// - Returns: The session that was stored until then.
    @discardableResult
    func wipe(_ reason: SignOutReason) async throws -> StoredSession? {
        signedOut(reason, byUser: true)
        pendingLogin = nil
        loginAttempt += 1
        migrations.forget()
        unfinishedWipe = machine.loginFence
        let wiped = try await finishWipe()
        await saveStepUps()
        return wiped
    }

    /// Deletes what was signed out; a store that refuses is asked again before anything is read from it.
    @discardableResult
    private func finishWipe() async throws -> StoredSession? {
        guard let fence = unfinishedWipe else { return nil }
        let wiped: StoredSession? = try await store.withLock(name + ".write") {
            // Who signed in since has written over it.
            guard await self.machine.acceptsLogin(fence) else { return nil }
            // One that cannot be read is wiped all the same.
            let stored = try? await self.readStore()
            try await self.store.delete(self.name + ".session")
            return stored ?? nil
        }
        if unfinishedWipe == fence { unfinishedWipe = nil }
        return wiped
    }

    // MARK: Signing out

    /// Signs out here at once; the server hears of it now or, offline, later. Racing callers share one wipe, and none
    /// joins one that is over: somebody may have signed in since.
    func logout() async throws {
        let task =
            loggingOut
            ?? Task {
                defer { loggingOut = nil }
                return try await self.performLogout()
            }
        loggingOut = task
        if try await task.value { await tellRevocations().value }
    }

    /// - Returns: Whether there is something to tell the server.
    private func performLogout() async throws -> Bool {
        // A login under way comes too late from here on; whoever made it tells the server.
        machine.refuseLogins()
        if unfinishedWipe != nil { unfinishedWipe = machine.loginFence }
        // A store that cannot be read, or holds what nobody understands, is wiped all the same.
        let stored = try? await readStore()
        var sessions = [machine.session, stored ?? nil].compactMap { $0 }
        if sessions.count == 2, sessions[0].isSameSession(as: sessions[1]) { sessions.removeFirst() }
        var unnoted: [StoredSession] = []
        for session in sessions {
            do { try await rememberRevocation(of: session) } catch { unnoted.append(session) }
        }
        if let wiped = try await wipe(.logout), !sessions.contains(where: { $0.isSameSession(as: wiped) }) {
            // Another process signed in between the reading and the wipe.
            sessions.append(wiped)
            do { try await rememberRevocation(of: wiped) } catch { unnoted.append(wiped) }
        }
        // What could not be noted is told now or never.
        for session in unnoted { await revokeOnce(session) }
        return !sessions.isEmpty
    }

    // MARK: Calls with an access token

    /// Sends a call as the signed-in user. An access token that is refused is refreshed once, and the call repeated, but
    /// never as another user, who may have signed in meanwhile.
    ///
    /// - Parameter accessToken: The token to begin with; `nil` is one that is good for a while.
    func sendSignedIn(_ request: APIRequest, accessToken: String? = nil) async throws -> TransportAnswer {
        let session: String?
        let token: String
        if let accessToken {
            (session, token) = (machine.session?.sessionID, accessToken)
        } else {
            let user = try await refresh()
            (session, token) = (user.profile.sessionID, user.accessToken)
        }
        do {
            return try await send(request, accessToken: token)
        } catch PreludeSessionError.deviceKeyLost {
            let renewed = try await renewedToken(insteadOf: token, session: session)
            return try await reporting { try await self.send(request, accessToken: renewed) }
        } catch let refusal as ServerRefusal where refusal.status == 401 {
            let renewed = try await renewedToken(insteadOf: token, session: session)
            return try await reporting { try await self.send(request, accessToken: renewed) }
        } catch let refusal as ServerRefusal {
            throw refusal.error
        }
    }

    /// Another token of the same session, in place of one that was refused.
    ///
    /// If somebody refreshed meanwhile, this marks nothing and their token is used. A refresh that fails says more than
    /// the 401 does: offline is not signed out.
    func renewedToken(insteadOf token: String, session: String?) async throws -> String {
        machine.invalidate(token)
        let renewed = try await refresh()
        guard renewed.profile.sessionID == session else {
            throw PreludeSessionError.unauthorized("the session was replaced by another login meanwhile")
        }
        return renewed.accessToken
    }

    /// Does something with a user's access token, and once more with another if its key is gone or replaced: the refresh
    /// that brings it finds out whether the session is over.
    func withKey<Answer: Sendable>(
        of user: PreludeUser, _ work: (_ accessToken: String) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await work(user.accessToken)
        } catch PreludeSessionError.deviceKeyLost {
            return try await work(try await renewedToken(insteadOf: user.accessToken, session: user.profile.sessionID))
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

    func user(_ session: StoredSession) throws -> PreludeUser {
        if let knownUser, knownUser.accessToken == session.accessToken { return knownUser }
        guard let profile = try? PreludeProfile(accessToken: session.accessToken) else {
            throw PreludeSessionError.refreshFailed("the access token is not a JWT")
        }
        let user = PreludeUser(accessToken: session.accessToken, profile: profile)
        if machine.session == session { knownUser = user }
        return user
    }
}
