internal import Foundation

/// The open step-ups as they are stored, so that they survive a relaunch. Answers of users are never in it.
struct StepUpRecord: Codable, Sendable, Equatable {
    static let currentVersion = 1

    struct Entry: Codable, Sendable, Equatable {
        let status: String
        let token: String
        let scope: String
        let sessionID: String?
    }

    var version = StepUpRecord.currentVersion
    var entries: [Entry]

    init(_ challenges: [StepUpChallenge]) {
        entries = challenges.compactMap { challenge in
            challenge.ticket.map { ticket in
                Entry(
                    status: challenge.status.rawValue, token: ticket.token.value, scope: challenge.requestedScope,
                    sessionID: ticket.sessionID)
            }
        }
    }

    /// The challenges of a record; none of one that cannot be understood, for they live minutes and can be asked anew.
    static func challenges(in data: Data, endpoint: String) -> [StepUpChallenge] {
        guard let record = try? JSONDecoder().decode(StepUpRecord.self, from: data),
            record.version == currentVersion
        else { return [] }
        return record.entries.compactMap { entry in
            StepUpStatus(rawValue: entry.status).flatMap {
                StepUpChallenge(
                    token: entry.token, status: $0, scope: entry.scope, sessionID: entry.sessionID,
                    endpoint: endpoint)
            }
        }
    }
}

extension SessionEngine {
    private var stepUpRecord: String { name + ".stepup" }

    /// Takes over what an earlier launch stored; tried again when the store cannot be read now.
    func restoreStepUps() async {
        guard !stepUps.isRestored else { return }
        let fence = machine.fence
        do {
            let stored = try await readStepUps()
            // A login or logout meanwhile has made the stored ones void.
            if machine.accepts(fence) { stepUps.restore(stored) }
        } catch {
            return
        }
    }

    /// Stores what is open. A challenge lives minutes and works without it, so a store that refuses fails nothing.
    func saveStepUps() async {
        let now = await knownServerTime()
        stepUps.dropExpired(at: now)
        try? await store.withLock(stepUpRecord) { try await self.writeStepUps(at: now) }
    }

    /// Under the lock. Another client of the same store may have stored challenges of the same session.
    private func writeStepUps(at now: Date) async throws {
        if let data = try await store.read(stepUpRecord),
            RecordVersion.isNewer(than: StepUpRecord.currentVersion, data)
        {
            return
        }
        let stored = try await readStepUps()
        let sessionID = machine.session?.sessionID
        let others = stored.filter { other in
            other.ticket?.sessionID == sessionID && other.ticket?.isExpired(at: now) == false && !stepUps.knows(other)
        }
        let challenges = machine.session == nil ? [] : (others + stepUps.open).suffix(StepUpFlows.capacity)
        if challenges.isEmpty {
            try await store.delete(stepUpRecord)
        } else {
            try await store.write(try JSONEncoder().encode(StepUpRecord(Array(challenges))), to: stepUpRecord)
        }
    }

    private func readStepUps() async throws -> [StepUpChallenge] {
        guard let data = try await store.read(stepUpRecord) else { return [] }
        return StepUpRecord.challenges(in: data, endpoint: name)
    }

    /// A challenge that is over, here and in the store.
    func close(_ challenge: StepUpChallenge) async {
        stepUps.close(challenge)
        await saveStepUps()
    }

    /// The server's time, by the device's clock when the store cannot tell how wrong it is.
    func knownServerTime() async -> Date {
        do {
            return try await device.serverTime()
        } catch {
            return environment.now()
        }
    }
}
