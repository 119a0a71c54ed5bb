internal import Foundation
internal import SessionWire

/// Revokes sessions on the server after they ended on this device. The queue is stored, so it survives a relaunch.
actor RevocationQueue {
    private let api: APIClient
    private let records: RecordStore
    private let environment: SDKEnvironment
    private let log: SessionLog
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

    /// Stores a session in the queue. Call it before the session is deleted.
    func add(_ session: StoredSession) async throws {
        let entry = PendingRevocations.Entry(session)
        try await change { $0.add(entry) }
    }

    /// Starts to send the queue. Callers may wait for the task, but need not.
    @discardableResult
    nonisolated func send() -> Task<Void, Never> { Task { await sendAll() } }

    /// Sends the revocation of a session that could not be stored in the queue. It is tried once.
    func sendOnce(_ session: StoredSession) async { _ = await isSettled(PendingRevocations.Entry(session)) }

    private func sendAll() async {
        if let sending {
            mustSendAgain = true
            return await sending.value
        }
        let task = Task {
            repeat {
                mustSendAgain = false
                await sendStored()
            } while mustSendAgain
            sending = nil
        }
        sending = task
        await task.value
    }

    /// Sends the stored entries in order and stops at the first that must be sent again later.
    private func sendStored() async {
        guard let pending = try? await read() else { return }
        let now = environment.now()
        for entry in pending.entries {
            // Without a connection for one entry there is none for the others.
            if !entry.isExpired(at: now), !(await isSettled(entry)) { return }
            // An entry that cannot be removed is sent again. A second revocation has no effect.
            try? await change { $0.remove(entry) }
        }
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
