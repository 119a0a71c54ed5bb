extension PreludeSessionClient {
    /// The state of the session: first the current one, then each that follows.
    ///
    /// Each call returns a new stream. A stream keeps the newest state only, so a slow reader skips older ones. It ends when its
    /// task is cancelled.
    ///
    /// On Apple's systems it has what other processes change, while this one runs, if they share the store:
    /// <doc:AppGroupsAndExtensions>. `reload()` finds the rest.
    public var states: AsyncStream<SessionState> { get async { await engine.states() } }

    /// Reads the credentials again, and takes over what another process has changed. Call it when the app becomes active: a
    /// process that was suspended may have missed a change.
    ///
    /// Without a change it emits nothing. A session that is known stays known if the credentials cannot be read now.
    ///
    /// - Returns: The state of the session, which `states` has, too.
    @discardableResult
    public func reload() async -> SessionState { await engine.reload() }
}

extension SessionEngine {
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
    func follow() -> Bool {
        followers += 1
        guard let changes, observation == nil else { return false }
        observation = changes.observe { [weak self] in Task { [weak self] in await self?.reload() } }
        return true
    }

    func unfollow() {
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
    func publishState() {
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
    func publishUnreadable(_ error: any Error) {
        guard let error = error as? PreludeSessionError else { return }
        switch state {
        case .unknown, .locked, .failed: state = error.needsUnlock ? .locked : .failed(error)
        case .signedIn, .signedOut: break
        }
    }
}
