internal import Dispatch
internal import SessionDomain
internal import Synchronization

/// Runs long work on a fixed number of threads ("slots"), with a bounded queue before them.
///
/// A slot is a serial dispatch queue, which gets its own thread. On Linux, concurrent dispatch queues share threads
/// with Swift's cooperative pool, so hashing there would block all other tasks.
final class HashingQueue: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var idle: [DispatchQueue]
        var waiting: [Job] = []
    }

    private let slots: Int
    private let waitingLimit: Int
    private let state: Mutex<State>

    init(slots: Int, waitingLimit: Int) {
        self.slots = slots
        self.waitingLimit = waitingLimit
        state = Mutex(State(idle: (0..<slots).map { DispatchQueue(label: "prelude-session.passwords.\($0)") }))
    }

    /// Runs the work when a slot is free, and returns its result.
    ///
    /// - Throws: `Refusal.overloaded` at once when too many requests wait, or the error of the work.
    func perform<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            let job: Job = { continuation.resume(with: Result(catching: work)) }
            switch admit(job) {
            case .starts(let slot): run(job, in: slot)
            case .waits: break
            case .refused: continuation.resume(throwing: Refusal.overloaded(retryAfter: 2))
            }
        }
    }

    /// Jobs that run or wait now.
    var load: Int { state.withLock { slots - $0.idle.count + $0.waiting.count } }

    private enum Admission {
        case starts(DispatchQueue)
        case waits, refused
    }

    private func admit(_ job: @escaping Job) -> Admission {
        state.withLock { state in
            if let slot = state.idle.popLast() { return .starts(slot) }
            guard state.waiting.count < waitingLimit else { return .refused }
            state.waiting.append(job)
            return .waits
        }
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
            guard !state.waiting.isEmpty else {
                state.idle.append(slot)
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
