internal import Foundation
internal import SessionDomain
internal import Synchronization

/// Runs long work on a fixed number of threads ("slots"), in a bounded queue that apps share fairly.
///
/// A caller gets a place first, and then runs its work. A free slot serves the apps in turn, so an app with many callers
/// delays its own callers only.
///
/// A slot is a thread of its own, which ends when no work waits. Its priority is low, so that hashes use the processor
/// time that refreshes and health checks leave. The threads of dispatch queues would keep the low priority for other work.
final class HashingQueue: Sendable {
    private struct State {
        var places: AppShares
        var idle: Int
        var waiting = AppTurns<Job>()
    }

    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let fail: @Sendable () -> Void
    }

    private let state: Mutex<State>
    private let slots: Int
    private let observer: any ServiceObserver
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - waitingLimit: Callers that may have a place without a slot.
    ///   - startThread: Runs work on a new thread, or returns `false`.
    init(
        slots: Int, waitingLimit: Int, observer: any ServiceObserver = NoObserver(),
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = HashingThread.start
    ) {
        (self.slots, self.observer, self.startThread) = (slots, observer, startThread)
        state = Mutex(State(places: AppShares(total: slots + waitingLimit), idle: slots))
    }

    /// Takes a place for a caller of an app. Each call without an error must be followed by `leave`.
    ///
    /// - Throws: `Refusal.overloaded` at once if no place is free for this app.
    func enter(_ app: AppID) throws(Refusal) {
        guard state.withLock({ $0.places.take(app) }) else {
            observer.observe(.passwordHashRefused)
            throw .overloaded(retryAfter: 2)
        }
    }

    func leave(_ app: AppID) { state.withLock { $0.places.release(app) } }

    /// Runs the work of a caller that has a place when a slot is free, and returns its result.
    ///
    /// - Throws: What the work throws; `Argon2Error.noThread` if no slot can work.
    func perform<Answer: Sendable>(
        _ app: AppID, _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        let (observer, queuedAt) = (observer, observer.instant())
        return try await observer.trace(.passwordHash) { span in
            try await withCheckedThrowingContinuation { continuation in
                let run = { @Sendable in
                    let (waited, startedAt) = (observer.seconds(since: queuedAt), observer.instant())
                    let result = Result(catching: work)
                    observer.observe(.passwordHashed(waited: waited, took: observer.seconds(since: startedAt)))
                    span?.note(.waited(waited))
                    continuation.resume(with: result)
                }
                start(Job(run: run, fail: { continuation.resume(throwing: Argon2Error.noThread) }), app)
            }
        }
    }

    /// Places that are taken now.
    var load: Int { state.withLock(\.places.taken) }

    /// Jobs that wait for a slot now.
    var waiting: Int { state.withLock(\.waiting.count) }

    private func start(_ job: Job, _ app: AppID) {
        let hasSlot = state.withLock { state in
            guard state.idle > 0 else {
                state.waiting.append(job, app: app)
                return false
            }
            state.idle -= 1
            return true
        }
        guard hasSlot else { return }
        let isStarted = startThread {
            LowPriority.ofThisThread()
            job.run()
            while let next = self.next() { next.run() }
        }
        if !isStarted { giveBackSlot(of: job, app) }
    }

    /// A slot has no thread. Its job waits for another slot. If none runs, nothing that waits would ever run.
    private func giveBackSlot(of job: Job, _ app: AppID) {
        let failed = state.withLock { state in
            state.idle += 1
            state.waiting.append(job, app: app)
            var failed: [Job] = []
            while state.idle == slots, let next = state.waiting.popNext() { failed.append(next) }
            return failed
        }
        for job in failed { job.fail() }
    }

    /// Returns the next job. If there is none, the slot is idle and the thread ends.
    private func next() -> Job? {
        state.withLock { state in
            if let job = state.waiting.popNext() { return job }
            state.idle += 1
            return nil
        }
    }
}
