internal import SessionDomain
internal import SessionEgress
internal import Synchronization

/// The workers of all mail servers. Each server has a few places, so that one that hangs leaves workers to the others.
///
/// A mail waits until its server has a place, and prefers a worker with a connection to it. Workers are made when they are
/// needed.
package final class SMTPWorkers: Sendable {
    /// The number of mails to one server at the same time. Many servers accept few connections of one client.
    static let width = 4
    /// Seconds that a mail waits for a worker.
    static let patience = 10

    /// A mail has waited long enough for a worker.
    struct AllBusy: Error {}

    private struct State {
        /// By `SMTPServer.place`.
        var places: FairPlaces<String>
        /// The workers that are free, latest used last, each with the server it sent to.
        var free: [(worker: SMTPWorker, server: SMTPServer)] = []
        var made = 0
        let capacity: Int
        var waiting: [(server: SMTPServer, caller: CancellableContinuation<SMTPWorker>)] = []

        mutating func next() -> (caller: CancellableContinuation<SMTPWorker>, worker: SMTPWorker, server: SMTPServer)? {
            waiting.removeAll { !$0.caller.isAwaited }
            guard let place = places.take(for: waiting.lazy.map(\.server.place)),
                let index = waiting.firstIndex(where: { $0.server.place == place })
            else { return nil }
            let (server, caller) = waiting.remove(at: index)
            return (caller, worker(for: server), server)
        }

        private mutating func worker(for server: SMTPServer) -> SMTPWorker {
            if let index = free.lastIndex(where: { $0.server == server }) { return free.remove(at: index).worker }
            if made == capacity, !free.isEmpty { return free.removeFirst().worker }
            made += 1
            return SMTPWorker(number: made)
        }
    }

    private let state: Mutex<State>
    private let sleep: @Sendable (Int) async throws -> Void

    /// - Parameters:
    ///   - count: The number of mails at the same time.
    ///   - sleep: Waits a number of seconds.
    package init(count: Int = 64, sleep: @escaping @Sendable (Int) async throws -> Void) {
        state = Mutex(State(places: FairPlaces(width: Self.width, capacity: count), capacity: count))
        self.sleep = sleep
    }

    /// - Throws: `AllBusy`, or `CancellationError` when the task is cancelled before it has a worker.
    func send(_ job: SMTPJob) async throws -> SMTPWorker.Outcome {
        let worker = try await take(for: job.server)
        let outcome = await worker.send(job)
        release(worker, from: job.server)
        return outcome
    }

    private func take(for server: SMTPServer) async throws -> SMTPWorker {
        let timer = Mutex<Task<Void, Never>?>(nil)
        defer { timer.withLock { $0?.cancel() } }
        return try await CancellableContinuation.wait { caller in
            state.withLock { $0.waiting.append((server, caller)) }
            serve()
            guard caller.isAwaited else { return }
            timer.withLock { timer in
                timer = Task {
                    try? await sleep(Self.patience)
                    caller.resume(with: .failure(AllBusy()))
                }
            }
        }
    }

    /// Gives free workers to the callers that still wait.
    private func serve() {
        while let (caller, worker, server) = state.withLock({ $0.next() }) {
            // A caller that was cancelled meanwhile does not take the worker.
            if !caller.resume(with: .success(worker)) { put(worker, back: server) }
        }
    }

    private func release(_ worker: SMTPWorker, from server: SMTPServer) {
        put(worker, back: server)
        serve()
    }

    private func put(_ worker: SMTPWorker, back server: SMTPServer) {
        state.withLock { state in
            state.places.free(server.place)
            state.free.append((worker, server))
        }
    }
}
