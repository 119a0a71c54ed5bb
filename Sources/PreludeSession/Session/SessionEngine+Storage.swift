internal import Foundation

/// Changes of the session: the store first, then memory, then events. A fence guards each change.
extension SessionEngine {
    /// Replaces a session by its refreshed state.
    ///
    /// - Returns: `false` if a login, a logout or another client of the store changed the session meanwhile.
    func replace(_ old: StoredSession, by new: StoredSession, fence: Int) async throws -> Bool {
        try await records.withLock(.sessionWrite) {
            guard await self.machine.accepts(fence), try await self.records.session() == old else { return false }
            try await self.records.write(new)
            return true
        } && machine.accepts(fence)
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
            // Publish under the lock, so that the next holder sees the new fence.
            guard await self.publishLogin(session, fence: fence) else {
                // A logout began during the write.
                try await self.records.delete(StoredSession.self)
                return false
            }
            return true
        }
        if isAdopted { await saveStepUps() }
        return isAdopted
    }

    private func publishLogin(_ session: StoredSession, fence: Int) -> Bool {
        guard machine.acceptsLogin(fence) else { return false }
        machine.signedIn(session)
        unfinishedWipe = nil
        stepUps.forget()
        emit(SessionEvent.signedIn, of: session)
        log(.info, "signed in", session.logAttributes)
        return true
    }

    /// Deletes a session that the server has ended.
    ///
    /// - Returns: `false` if a login, a logout or another client of the store replaced it meanwhile.
    func end(_ session: StoredSession, fence: Int, reason: SignOutReason) async throws -> Bool {
        guard machine.accepts(fence) else { return false }
        let isDeleted = try await records.withLock(.sessionWrite) {
            let stored = try await self.records.session()
            guard stored == session else { return stored == nil }
            // First, because only this record names them.
            await self.records.deleteAttempts(of: session)
            try await self.records.delete(StoredSession.self)
            return true
        }
        guard machine.accepts(fence) else { return false }
        guard isDeleted else {
            machine.forget()
            return false
        }
        publishSignOut(reason, byUser: false)
        await saveStepUps()
        return true
    }

    /// Removes the session and everything that belongs to it from memory, and emits the event.
    func publishSignOut(_ reason: SignOutReason, byUser: Bool) {
        let ended = machine.session
        machine.signedOut(byUser: byUser)
        stepUps.forget()
        guard let ended else { return }
        log(.info, "signed out", [.term("reason", reason.rawValue)] + ended.logAttributes)
        streams.send(.signedOut(reason))
    }

    /// Deletes the session on this device, whatever else is in progress.
    ///
    /// - Returns: The session that was stored until then.
    @discardableResult
    func wipe(_ reason: SignOutReason) async throws -> StoredSession? {
        publishSignOut(reason, byUser: true)
        pendingLogin = nil
        loginAttempt += 1
        migrations.forget()
        unfinishedWipe = machine.loginFence
        let wiped = try await finishWipe()
        await saveStepUps()
        return wiped
    }

    /// Deletes the record of a signed-out session. If the store refuses, the next read tries again first.
    @discardableResult
    func finishWipe() async throws -> StoredSession? {
        guard let fence = unfinishedWipe else { return nil }
        let wiped: StoredSession? = try await records.withLock(.sessionWrite) {
            // A login since then has replaced the record.
            guard await self.machine.acceptsLogin(fence) else { return nil }
            // An unreadable record is deleted too.
            let stored = try? await self.records.session()
            await self.records.deleteAttempts(of: stored ?? nil)
            try await self.records.delete(StoredSession.self)
            return stored ?? nil
        }
        if unfinishedWipe == fence { unfinishedWipe = nil }
        return wiped
    }
}
