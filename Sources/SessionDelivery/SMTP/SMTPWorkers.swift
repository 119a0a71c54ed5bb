internal import SessionEgress
internal import Synchronization

/// A fixed number of workers. A mail waits until one is free, and prefers one with a connection to its server.
@available(service, *)
package final class SMTPWorkers: Sendable {
    private struct State {
        /// The workers that are free, each with the server it sent to last.
        var free: [(number: Int, server: SMTPServer?)]
        var waiting: [CancellableContinuation<Int>] = []
    }

    private let workers: [SMTPWorker]
    private let state: Mutex<State>

    package init(count: Int = 8) {
        workers = (0..<max(1, count)).map { SMTPWorker(number: $0) }
        state = Mutex(State(free: (0..<max(1, count)).map { ($0, nil) }))
    }

    func send(_ job: SMTPJob) async throws -> SMTPWorker.Outcome {
        let number = try await take(for: job.server)
        let outcome = await workers[number].send(job)
        release(number, server: job.server)
        return outcome
    }

    private func take(for server: SMTPServer) async throws -> Int {
        try await CancellableContinuation.wait { continuation in
            let number: Int? = state.withLock { state in
                guard let index = state.free.lastIndex(where: { $0.server == server }) ?? state.free.indices.last else {
                    state.waiting.append(continuation)
                    return nil
                }
                return state.free.remove(at: index).number
            }
            // A cancelled caller does not take the worker.
            if let number, !continuation.resume(with: .success(number)) { release(number, server: nil) }
        }
    }

    /// Gives the worker to the next caller that still waits.
    private func release(_ number: Int, server: SMTPServer?) {
        while let next = next(or: number, server: server) {
            if next.resume(with: .success(number)) { return }
        }
    }

    /// Returns the next waiting caller. If there is none, marks the worker as free and returns `nil`.
    private func next(or number: Int, server: SMTPServer?) -> CancellableContinuation<Int>? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free.append((number, server))
            return nil
        }
    }
}
