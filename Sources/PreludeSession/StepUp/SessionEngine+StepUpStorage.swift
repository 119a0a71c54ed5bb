internal import Foundation

/// Reads and writes the record of open challenges. The SDK works without it, so no failure is reported.
extension SessionEngine {
    /// Takes over the challenges of an earlier launch, once. If the store cannot be read now, the next call tries again.
    func restoreStepUps() async {
        guard !stepUps.isRestored else { return }
        let fence = machine.fence
        let content: RecordContent<StepUpRecord>?
        do { content = try await records.read(StepUpRecord.self) } catch { return }
        // After a login or a logout the stored challenges are void.
        guard machine.accepts(fence) else { return }
        stepUps.restore(content?.challenges(endpoint: records.endpoint) ?? [])
    }

    /// Stores the open challenges.
    func saveStepUps() async {
        let now = await estimatedServerTime()
        stepUps.dropExpired(at: now)
        try? await records.withLock(.stepUps) {
            let content = try await self.records.read(StepUpRecord.self)
            if let content, content.isNewerVersion { return }
            let stored = content?.challenges(endpoint: self.records.endpoint) ?? []
            let challenges = await self.challengesToStore(with: stored, at: now)
            if challenges.isEmpty {
                try await self.records.delete(StepUpRecord.self)
            } else {
                try await self.records.write(StepUpRecord(challenges))
            }
        }
    }

    private func challengesToStore(with stored: [StepUpChallenge], at now: Date) -> [StepUpChallenge] {
        stepUps.merged(with: stored, session: machine.session, at: now)
    }

    /// Drops a challenge here and in the store.
    func close(_ challenge: StepUpChallenge) async {
        stepUps.close(challenge)
        await saveStepUps()
    }
}
