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

    private func result(of entry: PendingRevocations.Entry) async -> Result<APIResponse, any Error> {
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

/// The record of sessions that ended on this device and that the server must still revoke.
///
/// Bounded: when it is full, the oldest entry is dropped.
struct PendingRevocations: VersionedRecord, Equatable {
    static let recordName = RecordName.revocations

    struct Entry: Codable, Sendable, Equatable {
        let refreshToken: String
        let expiresAt: Date?
    }

    static let capacity = 16

    var version = PendingRevocations.currentVersion
    private(set) var entries: [Entry] = []

    mutating func add(_ entry: Entry) {
        entries.append(entry)
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
    }

    mutating func remove(_ entry: Entry) { entries.removeAll { $0 == entry } }
}

extension PendingRevocations.Entry {
    init(_ session: StoredSession) {
        self.init(refreshToken: session.refreshToken, expiresAt: session.refreshTokenExpiresAt)
    }

    /// Whether the session has expired, so there is nothing to revoke.
    ///
    /// - Parameter now: By the server's clock.
    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 < now } ?? false }
}

/// What the result of a request means for a pending revocation.
///
/// Only definite responses of the service settle it. A captive portal, a proxy, another service at the same name or a wrong
/// setting of the service can cause any other response.
enum RevocationOutcome: Sendable, Equatable {
    /// The server revoked the session, or it never will: the token or the device key is not valid there.
    case settled
    /// The response decides nothing. Send the revocation again, at the earliest after that many seconds.
    case undecided(retryAfter: Int?)
    /// There is no response, and so there is none for other revocations now.
    case unanswered

    init(_ result: Result<APIResponse, any Error>) {
        switch result {
        case .success(let response) where response.status == 204: self = .settled
        case .success: self = .undecided(retryAfter: nil)
        case .failure(PreludeSessionError.deviceKeyLost): self = .settled
        case .failure(let response as ErrorResponse) where response.endsSession: self = .settled
        case .failure(let response as ErrorResponse):
            self = .undecided(retryAfter: response.details.retryAfter.map { Int($0) })
        case .failure: self = .unanswered
        }
    }
}

/// The revocations that a client sends later, because a response with `Retry-After` says so. In memory only.
///
/// Bounded as the queue: when it is full, the oldest pause ends.
struct RevocationPauses: Sendable {
    private struct Pause: Sendable {
        let entry: PendingRevocations.Entry
        let start: Date
        let seconds: TimeInterval
    }

    /// Seconds. A longer `Retry-After` counts as this: it may not be the service's.
    static let maximum: TimeInterval = 3600

    private var pauses: [Pause] = []

    /// Starts a pause.
    ///
    /// - Parameter now: By the device's clock.
    mutating func start(_ entry: PendingRevocations.Entry, seconds: Int, now: Date) {
        end(entry)
        pauses.append(Pause(entry: entry, start: now, seconds: min(TimeInterval(seconds), Self.maximum)))
        if pauses.count > PendingRevocations.capacity { pauses.removeFirst() }
    }

    /// Ends a pause, if there is one.
    mutating func end(_ entry: PendingRevocations.Entry) { pauses.removeAll { $0.entry == entry } }

    /// Whether the entry must not be sent yet. A clock that was set back ends the pause.
    func isPaused(_ entry: PendingRevocations.Entry, now: Date) -> Bool {
        pauses.contains { pause in
            let passed = now.timeIntervalSince(pause.start)
            return pause.entry == entry && passed >= 0 && passed < pause.seconds
        }
    }
}
