internal import Foundation
internal import SessionWire

/// The actor behind all copies of a client. It holds the state of the session and performs what the state machines decide.
///
/// `client.refresh()` in reading order: `SessionEngine+Refresh` (who refreshes), `SessionMachine` (is a refresh needed, is
/// its result still wanted), `RefreshExchange` (what a response means), `APIClient` (request and proof), and in this file
/// `replace` and `publishRefresh` (persist, then publish).
///
/// This file changes the session and tells those who follow it. Each extension has the calls of one topic: `+Refresh`,
/// `+Logout`, `+Login`, `+StepUp`, `+SignedInCalls`, `+AppCalls`, `+Sessions`, `+Password`, `+Passkeys`. What they change is a
/// class of its own, whose state is private: `SharedTasks`, `LoginProgress`, `StepUpFlows`, `BackendNonces`,
/// `PasskeyCeremonies`.
actor SessionEngine {
    let api: APIClient
    let device: DeviceIdentity
    let records: RecordStore
    let revocations: RevocationQueue
    /// Tells other processes of changes of the session; `nil` if no other process shares the store.
    let changes: (any ChangeSignal)?
    let signals: (any PreludeSignalsDispatcher)?
    /// Creates passkeys and signs in with them; `nil` on a device that cannot.
    let authenticator: (any PreludePasskeyAuthenticator)?
    let environment: SDKEnvironment
    /// Seconds before expiry from which an access token is refreshed.
    let margin: TimeInterval
    let log: SessionLog

    let tasks = SharedTasks()
    let logins = LoginProgress()
    let stepUps = StepUpFlows()
    let backendNonces = BackendNonces()
    let ceremonies = PasskeyCeremonies()

    private(set) var machine = SessionMachine() {
        didSet {
            // The tokens in the caches and the code must not outlive their session.
            if machine.session == nil {
                (cachedUser, cachedBinding) = (nil, nil)
                logins.forgetCode()
            }
            if machine.knowledge != oldValue.knowledge { publishState() }
        }
    }
    /// What the app sees of the session.
    private var state = SessionState.unknown {
        didSet { if state != oldValue { stateStreams.send(state) } }
    }
    /// Why the last session ended on this device. It counts only while no user is signed in.
    private var signOutReason: PreludeSignOutReason?
    /// The user of the current access token. Decoding the token is the main cost of a `refresh()` without a request.
    private var cachedUser: PreludeUser?
    /// The binding of the current access token, which each request needs.
    private var cachedBinding: AccessTokenBinding?
    /// The wipe that the store has not finished yet.
    private(set) var pendingWipe: PendingWipe?
    private var streams = EventStreams<SessionEvent>(buffer: 64)
    private(set) var stateStreams = EventStreams<SessionState>(buffer: 1)
    /// How many streams of events and states there are.
    private var followers = 0
    /// Observes the changes of other processes while there is a stream.
    private var observation: AnyObject?

    init(
        api: APIClient, device: DeviceIdentity, records: RecordStore, changes: (any ChangeSignal)?,
        signals: (any PreludeSignalsDispatcher)?, authenticator: (any PreludePasskeyAuthenticator)?,
        environment: SDKEnvironment, margin: TimeInterval, log: SessionLog
    ) {
        self.api = api
        self.device = device
        self.records = records
        self.changes = changes
        self.signals = signals
        self.authenticator = authenticator
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
        if let token = try await loaded()?.accessToken { invalidate(token) }
    }

    /// Makes the next call refresh an access token. Has no effect on a token that was replaced meanwhile.
    func invalidate(_ accessToken: String) { machine.invalidate(accessToken) }

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

/// Changes of the session: the store first, then memory, then events. A fence guards each change.
extension SessionEngine {
    /// Replaces a session by its refreshed state.
    ///
    /// - Returns: What was stored; `nil` if a login, a logout or another client of the store changed the session meanwhile.
    func replace(_ old: StoredSession, by new: StoredSession, fence: Int) async throws -> StoredSession? {
        let stored = try await records.withLock(.sessionWrite) { () -> StoredSession? in
            guard await self.machine.accepts(fence), let stored = try await self.records.session(),
                stored.hasSameTokens(as: old)
            else { return nil }
            var new = new
            new.identifiers = stored.identifiers
            try await self.records.write(new)
            return new
        }
        return machine.accepts(fence) ? stored : nil
    }

    /// Keeps the identifiers of the user with the session. A store that refuses them must not fail the call.
    func keep(_ identifiers: [Identifier], of sessionID: String?) async {
        let fence = machine.fence
        try? await records.withLock(.sessionWrite) {
            guard await self.machine.accepts(fence), var stored = try await self.records.session(),
                stored.sessionID == sessionID, stored.identifiers != identifiers
            else { return }
            stored.identifiers = identifiers
            try await self.records.write(stored)
        }
        guard machine.accepts(fence), var session = machine.session, session.sessionID == sessionID else { return }
        session.identifiers = identifiers
        machine.refreshed(session)
        changes?.post()
    }

    /// Publishes the session with other tokens. A reload may have found them in the store before: then there is no new event.
    func publishRefresh(_ session: StoredSession) {
        let isNew = machine.session?.accessToken != session.accessToken
        machine.refreshed(session)
        if isNew { emit(SessionEvent.refreshed, of: session) }
    }

    /// Stores and publishes the session of a login.
    ///
    /// - Parameter fence: The login fence at which the login began.
    /// - Returns: `false` if another login or a logout came between.
    func adopt(_ session: StoredSession, fence: Int) async throws -> Bool {
        let isAdopted = try await records.withLock(.sessionWrite) {
            guard await self.machine.acceptsLogin(fence) else { return false }
            // Only its attempts are needed, so a damaged record is replaced like any other.
            await self.records.deleteAttempts(of: try? await self.records.session())
            try await self.records.write(session)
            try? await self.records.delete(SignOutRecord.self)
            // Publish under the lock, so that the next holder sees the new fence.
            guard await self.publishLogin(session, fence: fence) else {
                // A logout began during the write.
                try await self.records.delete(StoredSession.self)
                return false
            }
            await self.deletePendingLogin()
            return true
        }
        guard isAdopted else { return false }
        changes?.post()
        await saveStepUps()
        return true
    }

    private func publishLogin(_ session: StoredSession, fence: Int) -> Bool {
        guard machine.acceptsLogin(fence) else { return false }
        // A reload may have found the session in the store before.
        let isNew = machine.session?.hasSameTokens(as: session) != true
        machine.signedIn(session)
        // A start or a read of a waiting login that is in progress is about what was before.
        logins.end()
        pendingWipe = nil
        stepUps.forget()
        if isNew { emit(SessionEvent.signedIn, of: session) }
        log(.info, "signed in", session.logAttributes)
        return true
    }

    /// Deletes a session that the server has ended.
    ///
    /// - Returns: `false` if a login, a logout or another client of the store replaced it meanwhile.
    func end(_ session: StoredSession, fence: Int, reason: PreludeSignOutReason) async throws -> Bool {
        guard machine.accepts(fence) else { return false }
        let isDeleted = try await records.withLock(.sessionWrite) {
            let stored = try await self.records.session()
            guard let stored else { return true }
            guard stored.hasSameTokens(as: session) else { return false }
            // First, because only this record names them.
            await self.records.deleteAttempts(of: session)
            await self.records.keep(reason)
            try await self.records.delete(StoredSession.self)
            return true
        }
        guard isDeleted, machine.accepts(fence) else { return false }
        publishSignOut(reason, byUser: false)
        changes?.post()
        await saveStepUps()
        return true
    }

    /// Removes the session and everything that belongs to it from memory, and emits the event.
    private func publishSignOut(_ reason: PreludeSignOutReason, byUser: Bool) {
        let ended = machine.session
        if machine.knowledge != .signedOut { signOutReason = reason }
        machine.signedOut(byUser: byUser)
        stepUps.forget()
        guard let ended else { return }
        log(.info, "signed out", [.term("reason", reason.rawValue)] + ended.logAttributes)
        streams.send(.signedOut(reason))
    }

    /// A logout begins: no login in progress is accepted. The login itself revokes its session.
    func rejectLogins() {
        machine.rejectLogins()
        pendingWipe?.loginFence = machine.loginFence
    }

    /// The sessions that a sign-out ends: the known one, and the stored one if it is another.
    ///
    /// - Returns: Also whether the store could be read.
    func sessionsToEnd() async -> (sessions: [StoredSession], isComplete: Bool) {
        do {
            guard case .valid(let stored) = try await records.read(StoredSession.self) else {
                return (machine.session.map { [$0] } ?? [], true)
            }
            guard let known = machine.session, !known.isSameSession(as: stored) else { return ([stored], true) }
            return ([known, stored], true)
        } catch {
            return (machine.session.map { [$0] } ?? [], false)
        }
    }

    /// Deletes the session on this device, whatever else is in progress.
    ///
    /// A logout deletes whatever is stored, also a record that cannot be read, and queues its revocation.
    ///
    /// - Parameters:
    ///   - sessions: The sessions that end.
    ///   - isComplete: Whether the store could be read.
    /// - Returns: Whether the server must revoke the deleted session.
    @discardableResult
    func wipe(_ reason: PreludeSignOutReason, of sessions: [StoredSession], isComplete: Bool) async throws -> Bool {
        publishSignOut(reason, byUser: true)
        logins.end()
        pendingWipe = PendingWipe(
            loginFence: machine.loginFence, sessions: sessions, isComplete: isComplete, reason: reason)
        let mustRevoke = try await finishWipe(deletesAnything: reason == .logout)
        await saveStepUps()
        return mustRevoke
    }

    /// Deletes the record of a signed-out session. If the store refuses, the next read tries again first.
    ///
    /// - Parameter deletesAnything: Whether to delete the record whatever it is. A later try must not delete the session of a
    ///   newer login.
    /// - Returns: Whether the server must revoke the deleted session.
    @discardableResult
    private func finishWipe(deletesAnything: Bool = false) async throws -> Bool {
        guard let wipe = pendingWipe else { return false }
        let mustRevoke = try await records.withLock(.sessionWrite) {
            // A login since then has replaced the record.
            guard await self.machine.acceptsLogin(wipe.loginFence) else { return false }
            let mustRevoke = try await self.deleteRecord(for: wipe, deletesAnything: deletesAnything)
            await self.deletePendingLogin()
            return mustRevoke
        }
        if pendingWipe == wipe { pendingWipe = nil }
        changes?.post()
        return mustRevoke
    }

    private func deleteRecord(for wipe: PendingWipe, deletesAnything: Bool) async throws -> Bool {
        var mustRevoke = false
        var isSignedIn = true
        do {
            switch try await records.read(StoredSession.self) {
            case .valid(let stored):
                guard deletesAnything || wipe.covers(stored) else { return false }
                mustRevoke = wipe.mustRevoke(stored)
                // First, because only this record has the token.
                if mustRevoke { await revocations.add(stored) }
                await records.deleteAttempts(of: stored)
            case .newerVersion where wipe.isComplete && !deletesAnything: return false
            case .newerVersion, .invalid: break
            case nil: isSignedIn = false
            }
        } catch {
            // A logout also deletes an unreadable record. A later try must not: it may be that of a newer login.
            guard deletesAnything else { throw error }
        }
        if isSignedIn { await records.keep(wipe.reason) }
        try await records.delete(StoredSession.self)
        return mustRevoke
    }
}

/// The streams of events and states, and what they receive.
extension SessionEngine {
    func events() -> AsyncStream<SessionEvent> {
        _ = follow()
        return streams.add { [weak self] number in
            Task { [weak self] in await self?.removeStream(number) }
        }
    }

    private func removeStream(_ number: Int) {
        streams.remove(number)
        unfollow()
    }

    /// Sends an event with the profile of the session's access token.
    private func emit(_ event: (PreludeProfile) -> SessionEvent, of session: StoredSession) {
        guard let profile = try? PreludeProfile(accessToken: session.accessToken) else { return }
        streams.send(event(profile))
    }

    func states() async -> AsyncStream<SessionState> {
        let mayHaveMissed = follow()
        if mayHaveMissed || machine.knowledge == .unread { _ = await reload() }
        return stateStreams.add(beginningWith: state) { [weak self] number in
            Task { [weak self] in await self?.removeStateStream(number) }
        }
    }

    private func removeStateStream(_ number: Int) {
        stateStreams.remove(number)
        unfollow()
    }

    /// Observes the changes of other processes while there is a stream.
    ///
    /// The posts of this process are heard, too. The reload then finds the session that is known already.
    ///
    /// - Returns: Whether the observation begins now.
    private func follow() -> Bool {
        followers += 1
        guard let changes, observation == nil else { return false }
        observation = changes.observe { [weak self] in Task { [weak self] in await self?.reload() } }
        return true
    }

    private func unfollow() {
        followers -= 1
        if followers == 0 { observation = nil }
    }

    @discardableResult
    func reload() async -> SessionState {
        guard let known = machine.session else {
            // A failure is published.
            _ = try? await loaded()
            return state
        }
        let fence = machine.fence
        // A session that a refresh has replaced during the read is newer than what was read.
        if let stored = try? await records.sessionOrEnd(), machine.session == known {
            _ = try? await takeOver(stored, since: fence)
        }
        return state
    }

    /// Compares the store with the known session, and takes over what another client of the store has changed.
    func takeOver(
        _ stored: StoredSessionOrEnd, since fence: Int
    ) async throws -> SessionMachine.StoredState {
        let found = machine.compare(stored: stored.session, since: fence)
        switch found {
        case .overtaken, .same: break
        case .deleted:
            publishSignOut(stored.reason?.inAnotherClient ?? .anotherClient, byUser: false)
        case .replaced(let session, let isOtherSession):
            // Another session may be bound to another key. A token sent with the wrong key looks stolen.
            if isOtherSession { _ = try await device.reloadKey() }
            guard machine.accepts(fence) else { return .overtaken }
            guard isOtherSession else {
                publishRefresh(session)
                break
            }
            machine.refreshed(session)
            emit(SessionEvent.signedIn, of: session)
        }
        return found
    }

    /// Publishes what is known of the session by now.
    private func publishState() {
        switch machine.knowledge {
        // The last state stays until the store is read.
        case .unread: break
        case .signedOut: state = .signedOut(signOutReason)
        case .signedIn(let session):
            do {
                state = .signedIn(try user(session).profile)
            } catch {
                publishUnreadable(error)
            }
        }
    }

    /// Publishes that the session cannot be read. One that is known stays known.
    private func publishUnreadable(_ error: any Error) {
        guard let error = error as? PreludeSessionError else { return }
        switch state {
        case .unknown, .locked, .failed: state = error.needsUnlock ? .locked : .failed(error)
        case .signedIn, .signedOut: break
        }
    }
}
