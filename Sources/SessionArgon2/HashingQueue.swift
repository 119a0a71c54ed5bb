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
@available(service, *)
final class HashingQueue: Sendable {
    private struct State {
        var places: HashingPlaces
        var idle: Int
        var waiting = AppTurns<Job>()
    }

    private typealias Job = @Sendable () -> Void

    private let state: Mutex<State>
    private let observer: any ServiceObserver

    /// - Parameter waitingLimit: Callers that may have a place without a slot.
    init(slots: Int, waitingLimit: Int, observer: any ServiceObserver = NoObserver()) {
        self.observer = observer
        state = Mutex(State(places: HashingPlaces(total: slots + waitingLimit), idle: slots))
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
    func perform<Answer: Sendable>(
        _ app: AppID, _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        let (observer, queuedAt) = (observer, observer.instant())
        return try await observer.trace(.passwordHash) { span in
            try await withCheckedThrowingContinuation { continuation in
                start(app) {
                    let (waited, startedAt) = (observer.seconds(since: queuedAt), observer.instant())
                    let result = Result(catching: work)
                    observer.observe(.passwordHashed(waited: waited, took: observer.seconds(since: startedAt)))
                    span?.note(.waited(waited))
                    continuation.resume(with: result)
                }
            }
        }
    }

    /// Places that are taken now.
    var load: Int { state.withLock(\.places.taken) }

    /// Jobs that wait for a slot now.
    var waiting: Int { state.withLock(\.waiting.count) }

    private func start(_ app: AppID, _ job: @escaping Job) {
        let hasSlot = state.withLock { state in
            guard state.idle > 0 else {
                state.waiting.append(job, app: app)
                return false
            }
            state.idle -= 1
            return true
        }
        guard hasSlot else { return }
        Thread.detachNewThread {
            LowPriority.ofThisThread()
            job()
            while let next = self.next() { next() }
        }
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
