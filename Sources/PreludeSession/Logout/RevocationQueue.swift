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
    /// Whether an entry may have been added since `sending` read the queue.
    private var mustSendAgain = false

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

    private func sendAll() async {
        if let sending {
            mustSendAgain = true
            return await sending.value
        }
        let task = Task {
            repeat {
                mustSendAgain = false
                await sendEntries()
            } while mustSendAgain
            sending = nil
        }
        sending = task
        await task.value
    }

    /// Sends the entries in order and stops at the first that must be sent again later.
    private func sendEntries() async {
        await storeRemaining()
        let stored = (try? await read())?.entries ?? []
        let now = environment.now()
        for entry in stored + unstored.entries {
            // Without a connection for one entry there is none for the others.
            if !entry.isExpired(at: now), !(await isSettled(entry)) { return }
            unstored.remove(entry)
            // An entry that cannot be removed is sent again. A second revocation has no effect.
            if stored.contains(entry) { try? await change { $0.remove(entry) } }
        }
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

    private func isSettled(_ entry: PendingRevocations.Entry) async -> Bool {
        var request = APIRequest(.revoke)
        request.proof = .session
        request.headers[HeaderName.refreshToken] = entry.refreshToken
        let result = await api.result(of: request)
        let isSettled = PendingRevocations.Entry.isSettled(by: result)
        switch result {
        case .success: log(.debug, "the server revoked a session")
        case .failure(let error) where !(isSettled || error is ErrorResponse):
            log(.debug, "a session is revoked later", [.error(error)])
        case .failure: break
        }
        return isSettled
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
