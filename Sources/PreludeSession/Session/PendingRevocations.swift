internal import Foundation
internal import SessionWire

/// Sessions that ended here and that the server has not heard of yet. Bounded: the oldest go first.
struct PendingRevocations: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        let refreshToken: String
        let expiresAt: Date?
    }

    static let capacity = 16

    var version = 1
    var entries: [Entry] = []

    mutating func add(_ session: StoredSession) {
        entries.append(Entry(refreshToken: session.refreshToken, expiresAt: session.refreshTokenExpiresAt))
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
    }
}

extension SessionEngine {
    /// Notes, before the wipe, what the server is to be told.
    func rememberRevocation(of session: StoredSession) async throws {
        try await changeRevocations { $0.add(session) }
    }

    /// Tells the server, in a task that nobody has to wait for, what it has not heard of yet.
    @discardableResult
    func tellRevocations() -> Task<Void, Never> {
        if let revoking {
            revokesAgain = true
            return revoking
        }
        let task = Task {
            repeat {
                revokesAgain = false
                await retryRevocations()
            } while revokesAgain
            revoking = nil
        }
        revoking = task
        return task
    }

    /// Tells of a session that could not be noted.
    func revokeOnce(_ session: StoredSession) async {
        _ = await isHeard(.init(refreshToken: session.refreshToken, expiresAt: session.refreshTokenExpiresAt))
    }

    /// Without a connection it stays for the next time.
    private func retryRevocations() async {
        guard let pending = try? await readRevocations(), !pending.entries.isEmpty else { return }
        let now = environment.now()
        for entry in pending.entries {
            let isOver = entry.expiresAt.map { $0 < now } ?? false
            // Without a connection for one there is none for the others.
            if !isOver, !(await isHeard(entry)) { return }
            // Left in the list it would only be told once more, which changes nothing.
            try? await changeRevocations { $0.entries.removeAll { $0 == entry } }
        }
    }

    /// Whether the server knows now: it ended the session, or it definitely will not.
    private func isHeard(_ entry: PendingRevocations.Entry) async -> Bool {
        var request = APIRequest(.revoke)
        request.proof = .session
        request.headers[HeaderName.refreshToken] = entry.refreshToken
        do {
            _ = try await api.send(request)
            log(.debug, "the server knows that a session is over")
            return true
        } catch let refusal as ServerRefusal {
            return (400..<500).contains(refusal.status) && refusal.status != 429
        } catch PreludeSessionError.deviceKeyLost {
            return true
        } catch {
            log(.debug, "the server hears later that a session is over", [.error(error)])
            return false
        }
    }

    private func readRevocations() async throws -> PendingRevocations {
        guard let data = try await store.read(name + ".revocations") else { return PendingRevocations() }
        guard !RecordVersion.isNewer(than: PendingRevocations().version, data) else {
            throw PreludeSessionError.storageUnavailable(
                "the record of ended sessions is of a newer version of the SDK")
        }
        return (try? JSONDecoder().decode(PendingRevocations.self, from: data)) ?? PendingRevocations()
    }

    private func changeRevocations(_ change: @Sendable (inout PendingRevocations) -> Void) async throws {
        try await store.withLock(name + ".revocations") {
            let old = try await self.readRevocations()
            var new = old
            change(&new)
            guard new != old else { return }
            if new.entries.isEmpty {
                try await self.store.delete(self.name + ".revocations")
            } else {
                try await self.store.write(try JSONEncoder().encode(new), to: self.name + ".revocations")
            }
        }
    }
}
