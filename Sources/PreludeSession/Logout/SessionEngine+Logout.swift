extension SessionEngine {
    /// Signs out on this device at once. The server revokes the session now or, offline, later.
    ///
    /// Concurrent callers share one logout. A later caller starts another one, because a user may have signed in since.
    func logout() async throws {
        let task =
            loggingOut
            ?? Task {
                defer { loggingOut = nil }
                return try await self.performLogout()
            }
        loggingOut = task
        if try await task.value { await revocations.send().value }
    }

    /// - Returns: Whether there are sessions to revoke.
    private func performLogout() async throws -> Bool {
        // From here on no login in progress is accepted. The login itself revokes its session.
        machine.rejectLogins()
        if unfinishedWipe != nil { unfinishedWipe = machine.loginFence }
        // A record that cannot be read is deleted too.
        let stored = try? await records.session()
        var sessions = [machine.session, stored ?? nil].compactMap { $0 }
        if sessions.count == 2, sessions[0].isSameSession(as: sessions[1]) { sessions.removeFirst() }
        var notQueued: [StoredSession] = []
        for session in sessions {
            do { try await revocations.add(session) } catch { notQueued.append(session) }
        }
        let wipe = await wipeResult()
        if case .success(let wiped?) = wipe, !sessions.contains(where: { $0.isSameSession(as: wiped) }) {
            // Another process signed in between the read and the wipe.
            sessions.append(wiped)
            do { try await revocations.add(wiped) } catch { notQueued.append(wiped) }
        }
        // What could not be queued is sent now, once.
        for session in notQueued { await revocations.sendOnce(session) }
        if case .failure(let error) = wipe {
            // The store still has the session, for example in a read-only directory. The server revokes it all the same.
            await revocations.send().value
            throw error
        }
        return !sessions.isEmpty
    }

    private func wipeResult() async -> Result<StoredSession?, any Error> {
        do { return .success(try await wipe(.logout)) } catch { return .failure(error) }
    }
}
