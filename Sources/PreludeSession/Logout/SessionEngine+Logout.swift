internal import Foundation

extension SessionEngine {
    /// Signs out on this device, and starts to revoke the session on the server. It never waits for the server.
    ///
    /// Concurrent callers share one logout. A later caller starts another one, because a user may have signed in since.
    func logout() async throws {
        let outcome = await sharedLogout().value
        // Also if the store refused the wipe: it may have refused the queue, too.
        if outcome.mustRevoke { revocations.sendIfDue() }
        try outcome.wipe.get()
    }

    private func sharedLogout() -> Task<LogoutOutcome, Never> {
        if let running = tasks.logout { return running }
        let task = Task {
            defer { tasks.logoutEnded() }
            return await self.performLogout()
        }
        tasks.started(task)
        return task
    }

    /// Waits for a logout in progress, so that a login which begins after its call does not end with it. That takes a moment,
    /// because a logout does not wait for the server.
    func finishLogout() async {
        while let logout = tasks.logout { _ = await logout.value }
    }

    /// Waits until the queue of revocations was sent once, or for a short time: a service that does not respond must not
    /// delay the end of a process.
    func finishRevocations() async {
        await environment.wait(for: revocations.sendIfDue(), atMost: Self.patience)
    }

    /// Seconds.
    private static let patience: TimeInterval = 3

    private func performLogout() async -> LogoutOutcome {
        rejectLogins()
        let (sessions, isComplete) = await sessionsToEnd()
        for session in sessions { await revocations.add(session) }
        do {
            // Another process may have signed in since the read.
            let isOneStored = try await wipe(.logout, of: sessions, isComplete: isComplete)
            return LogoutOutcome(mustRevoke: isOneStored || !sessions.isEmpty, wipe: .success(()))
        } catch {
            return LogoutOutcome(mustRevoke: !sessions.isEmpty, wipe: .failure(error))
        }
    }
}

/// How a logout ended on this device.
struct LogoutOutcome: Sendable {
    /// Whether there are sessions that the server must revoke.
    let mustRevoke: Bool
    /// Whether the store has deleted the session.
    let wipe: Result<Void, any Error>
}
