/// Named locks within a process. Waiters get a lock in the order in which they asked; none blocks a thread.
actor AsyncLock {
    static let shared = AsyncLock()

    private struct Waiter {
        let number: Int
        /// Resumed with `true` when the waiter gets the lock.
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var held: [String: [Waiter]] = [:]
    private var nextNumber = 0

    /// - Parameter waitLimit: Returns when the wait must end. It is cancelled when the caller gets the lock first.
    /// - Returns: Whether the caller has the lock.
    func acquire(_ name: String, waitLimit: @escaping @Sendable () async throws -> Void) async -> Bool {
        guard held[name] != nil else {
            held[name] = []
            return true
        }
        let number = nextNumber
        nextNumber += 1
        let timer = Task {
            do { try await waitLimit() } catch { return }
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

    /// Runs the work under a lock, and releases the lock when the work returns or throws.
    ///
    /// - Throws: `PreludeSessionError.timeout` when `waitLimit` returns first, and the errors of the work.
    nonisolated func with<Answer: Sendable>(
        _ name: String,
        waitLimit: @escaping @Sendable () async throws -> Void = { try await SDKEnvironment.untilCancelled(0) },
        _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        guard await acquire(name, waitLimit: waitLimit) else { throw PreludeSessionError.timeout }
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
