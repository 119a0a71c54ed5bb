internal import Dispatch
internal import SessionDomain
internal import Synchronization

/// Runs long work on a fixed number of threads ("slots"), in a bounded queue that apps share fairly.
///
/// A caller gets a place first, and then runs its work. A free slot serves the apps in turn, so an app with many callers
/// delays its own callers only.
///
/// A slot is a serial dispatch queue, which gets its own thread. On Linux, concurrent dispatch queues share threads
/// with Swift's cooperative pool, so hashing there would block all other tasks.
@available(service, *)
final class HashingQueue: Sendable {
    private struct State {
        var places: HashingPlaces
        var idle: [DispatchQueue]
        var waiting = AppTurns<Job>()
    }

    private typealias Job = @Sendable () -> Void

    private let state: Mutex<State>
    private let observer: any ServiceObserver

    /// - Parameter waitingLimit: Callers that may have a place without a slot.
    init(slots: Int, waitingLimit: Int, observer: any ServiceObserver = NoObserver()) {
        self.observer = observer
        let idle = (0..<slots).map { DispatchQueue(label: "prelude-session.passwords.\($0)") }
        state = Mutex(State(places: HashingPlaces(total: slots + waitingLimit), idle: idle))
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
        return try await withCheckedThrowingContinuation { continuation in
            start(app) {
                let (waited, startedAt) = (observer.seconds(since: queuedAt), observer.instant())
                let result = Result(catching: work)
                observer.observe(.passwordHashed(waited: waited, took: observer.seconds(since: startedAt)))
                continuation.resume(with: result)
            }
        }
    }

    /// Places that are taken now.
    var load: Int { state.withLock(\.places.taken) }

    /// Jobs that wait for a slot now.
    var waiting: Int { state.withLock(\.waiting.count) }

    private func start(_ app: AppID, _ job: @escaping Job) {
        let slot = state.withLock { state in
            let slot = state.idle.popLast()
            if slot == nil { state.waiting.append(job, app: app) }
            return slot
        }
        if let slot { run(job, in: slot) }
    }

    /// Runs a job, then those that wait for a slot.
    private func run(_ job: @escaping Job, in slot: DispatchQueue) {
        slot.async {
            job()
            while let next = self.next(or: slot) { next() }
        }
    }

    /// Returns the next job. If there is none, marks the slot as idle and returns `nil`.
    private func next(or slot: DispatchQueue) -> Job? {
        state.withLock { state in
            if let job = state.waiting.popNext() { return job }
            state.idle.append(slot)
            return nil
        }
    }
}
