internal import Foundation
internal import SessionWire

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
        loginAttempt += 1
        pendingWipe = nil
        pendingLogin = nil
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
    func publishSignOut(_ reason: PreludeSignOutReason, byUser: Bool) {
        let ended = machine.session
        if machine.knowledge != .signedOut { signOutReason = reason }
        machine.signedOut(byUser: byUser)
        stepUps.forget()
        guard let ended else { return }
        log(.info, "signed out", [.term("reason", reason.rawValue)] + ended.logAttributes)
        streams.send(.signedOut(reason))
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
        pendingLogin = nil
        loginAttempt += 1
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
    func finishWipe(deletesAnything: Bool = false) async throws -> Bool {
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
