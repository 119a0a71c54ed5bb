/// Locks by name within a process: whoever comes first goes first, and nobody blocks a thread.
actor AsyncLock {
    static let shared = AsyncLock()

    private struct Waiter {
        let number: Int
        /// Resumed with whether the lock is the waiter's now.
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var held: [String: [Waiter]] = [:]
    private var nextNumber = 0

    /// - Parameter patience: Returns when the wait has lasted long enough; cancelled when it is over before.
    /// - Returns: Whether the lock is the caller's now.
    func acquire(_ name: String, patience: @escaping @Sendable () async throws -> Void) async -> Bool {
        guard held[name] != nil else {
            held[name] = []
            return true
        }
        let number = nextNumber
        nextNumber += 1
        let timer = Task {
            do { try await patience() } catch { return }
            giveUp(name, number)
        }
        let isMine = await withCheckedContinuation { held[name]?.append(Waiter(number: number, continuation: $0)) }
        timer.cancel()
        return isMine
    }

    func release(_ name: String) {
        guard var waiting = held[name] else { return }
        guard !waiting.isEmpty else {
            held[name] = nil
            return
        }
        let next = waiting.removeFirst()
        held[name] = waiting
        next.continuation.resume(returning: true)
    }

    private func giveUp(_ name: String, _ number: Int) {
        guard let index = held[name]?.firstIndex(where: { $0.number == number }) else { return }
        held[name]?.remove(at: index).continuation.resume(returning: false)
    }

    /// Runs the work under a lock; it is released whatever happens.
    ///
    /// - Throws: `PreludeSessionError.timeout` when patience comes to its end first; what the work throws.
    nonisolated func with<Answer: Sendable>(
        _ name: String,
        patience: @escaping @Sendable () async throws -> Void = { try await SDKEnvironment.untilCancelled(0) },
        _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        guard await acquire(name, patience: patience) else { throw PreludeSessionError.timeout }
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
