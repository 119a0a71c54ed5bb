internal import Foundation
internal import SessionWire

/// Revokes sessions on the server after they ended on this device. The queue is stored, so it survives a relaunch.
///
/// An entry that the store refuses is kept in memory, and is sent and stored with the next `send()`.
actor RevocationQueue {
    private let api: APIClient
    private let records: RecordStore
    private let environment: SDKEnvironment
    private let log: SessionLog
    /// Entries that the store has refused.
    private var unstored = PendingRevocations()
    /// The task that sends the queue; at most one.
    private var sending: Task<Void, Never>?
    /// Whether an entry was added since the queue was read. At first it may have entries of earlier processes.
    private var isDue = true
    private var pauses = RevocationPauses()

    init(api: APIClient, records: RecordStore, environment: SDKEnvironment, log: SessionLog) {
        self.api = api
        self.records = records
        self.environment = environment
        self.log = log
    }

    /// Adds a session to the queue. Call it before the session is deleted.
    ///
    /// - Returns: Whether the store has it.
    @discardableResult
    func add(_ session: StoredSession) async -> Bool {
        let entry = PendingRevocations.Entry(session)
        defer { isDue = true }
        do {
            try await change { $0.add(entry) }
            return true
        } catch {
            unstored.add(entry)
            return false
        }
    }

    /// Starts to send the queue. Callers may wait for the task, but need not.
    @discardableResult
    nonisolated func send() -> Task<Void, Never> { Task { await sendAll() } }

    /// Starts to send the queue if this client has not sent it since the last entry, and joins a task that sends it now.
    @discardableResult
    nonisolated func sendIfDue() -> Task<Void, Never> { Task { await sendAll(onlyIfDue: true) } }

    private func sendAll(onlyIfDue: Bool = false) async {
        if let sending { return await sending.value }
        guard isDue || !onlyIfDue else { return }
        let task = Task {
            var tried: [PendingRevocations.Entry] = []
            repeat {
                isDue = false
                await sendEntries(except: &tried)
            } while isDue
            sending = nil
        }
        sending = task
        await task.value
    }

    /// Sends the entries that were not tried yet, the newest first, because a caller may wait for it.
    private func sendEntries(except tried: inout [PendingRevocations.Entry]) async {
        await storeRemaining()
        let stored = (try? await read())?.entries ?? []
        for entry in (stored + unstored.entries).reversed() where !tried.contains(entry) {
            guard !pauses.isPaused(entry, now: environment.now()) else { continue }
            tried.append(entry)
            switch await outcome(of: entry) {
            case .settled: await remove(entry)
            case .undecided(nil): continue
            case .undecided(let seconds?):
                // It is about the caller, so the other entries wait, too.
                pauses.start(entry, seconds: seconds, now: environment.now())
                return
            // Without a connection for one entry there is none for the others.
            case .unanswered: return
            }
        }
    }

    private func remove(_ entry: PendingRevocations.Entry) async {
        unstored.remove(entry)
        pauses.end(entry)
        // An entry that cannot be removed is sent again. A second revocation has no effect.
        try? await change { $0.remove(entry) }
    }

    /// Tries again to store the entries that the store has refused.
    private func storeRemaining() async {
        let entries = unstored.entries
        guard !entries.isEmpty else { return }
        do {
            try await change { pending in for entry in entries { pending.add(entry) } }
            for entry in entries { unstored.remove(entry) }
        } catch {}
    }

    /// Sends a revocation.
    ///
    /// An entry that has expired is settled by any response, because the time of the response has corrected the clock. It is
    /// never dropped without one: the clock may be wrong.
    private func outcome(of entry: PendingRevocations.Entry) async -> RevocationOutcome {
        let result = await result(of: entry)
        let outcome = RevocationOutcome(result)
        switch (outcome, result) {
        case (.settled, _): log(.debug, "a revocation is settled")
        case (.undecided, _): if await isExpired(entry) { return .settled }
        case (.unanswered, .failure(let error)): log(.debug, "a session is revoked later", [.error(error)])
        case (.unanswered, .success): break
        }
        return outcome
    }

    private func result(of entry: PendingRevocations.Entry) async -> Result<TransportAnswer, any Error> {
        var request = APIRequest(.revoke)
        request.proof = .session
        request.headers[HeaderName.refreshToken] = entry.refreshToken
        let result = await api.result(of: request)
        guard case .failure(let response as ErrorResponse) = result, response.code == .dpopKeyMismatch else {
            return result
        }
        do {
            // Another process may have replaced the key together with the session.
            return try await api.device.reloadKey() ? await api.result(of: request) : result
        } catch {
            return .failure(error)
        }
    }

    private func isExpired(_ entry: PendingRevocations.Entry) async -> Bool {
        guard let now = try? await api.device.serverTime() else { return false }
        return entry.isExpired(at: now)
    }

    /// - Throws: `.storageUnavailable` for a record of a newer version, which must not be replaced.
    private func read() async throws -> PendingRevocations {
        try await records.read(PendingRevocations.self)?.record(replacingInvalid: PendingRevocations())
            ?? PendingRevocations()
    }

    private func change(_ change: @Sendable (inout PendingRevocations) -> Void) async throws {
        try await records.withLock(.revocations) {
            let old = try await self.read()
            var new = old
            change(&new)
            guard new != old else { return }
            if new.entries.isEmpty {
                try await self.records.delete(PendingRevocations.self)
            } else {
                try await self.records.write(new)
            }
        }
    }
}
