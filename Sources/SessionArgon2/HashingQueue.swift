internal import Dispatch
internal import SessionDomain
internal import Synchronization

/// Threads for work that takes long: a fixed number of slots, and a bounded line before them.
///
/// A slot is a serial queue, because those get threads of their own. Concurrent queues share theirs with Swift's
/// cooperative pool where the system has no better (on Linux), and hashing would stop everything else.
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

    /// Does the work when a slot is free.
    ///
    /// - Throws: `Refusal.overloaded` at once when too many wait already.
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

    /// Runs a job, and those that waited for its slot.
    private func run(_ job: @escaping Job, in slot: DispatchQueue) {
        slot.async {
            job()
            while let next = self.next(or: slot) { next() }
        }
    }

    /// The job that takes over the slot; without one the slot is idle.
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
