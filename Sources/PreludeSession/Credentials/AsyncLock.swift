/// Locks by name within a process: whoever comes first goes first, and nobody blocks a thread.
actor AsyncLock {
    static let shared = AsyncLock()

    private var held: [String: [CheckedContinuation<Void, Never>]] = [:]

    func acquire(_ name: String) async {
        guard held[name] != nil else {
            held[name] = []
            return
        }
        await withCheckedContinuation { held[name]?.append($0) }
    }

    func release(_ name: String) {
        guard var waiting = held[name] else { return }
        guard !waiting.isEmpty else {
            held[name] = nil
            return
        }
        let next = waiting.removeFirst()
        held[name] = waiting
        next.resume()
    }

    /// Runs the work under a lock; it is released whatever happens.
    nonisolated func with<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async rethrows -> Answer {
        await acquire(name)
        do {
            let answer = try await work()
            await release(name)
            return answer
        } catch {
            await release(name)
            throw error
        }
    }
}
