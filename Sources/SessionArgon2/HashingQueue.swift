internal import Dispatch
internal import SessionDomain
internal import Synchronization

/// Threads for work that takes long: a fixed number of slots, and a bounded line before them.
///
/// The cooperative pool has one thread a core and must not be kept busy by password hashes.
final class HashingQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let slots: Int
    private let waitingLimit: Int
    private let threads = DispatchQueue(label: "prelude-session.passwords", attributes: .concurrent)
    private let state = Mutex(State())

    init(slots: Int, waitingLimit: Int) {
        self.slots = slots
        self.waitingLimit = waitingLimit
    }

    /// Does the work when a slot is free.
    ///
    /// - Throws: `Refusal.overloaded` at once when too many wait already.
    func perform<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            let job: @Sendable () -> Void = { continuation.resume(with: Result(catching: work)) }
            switch admit(job) {
            case .starts: start(job)
            case .waits: break
            case .refused: continuation.resume(throwing: Refusal.overloaded(retryAfter: 2))
            }
        }
    }

    /// Jobs that run or wait now.
    var load: Int { state.withLock { $0.running + $0.waiting.count } }

    private enum Admission { case starts, waits, refused }

    private func admit(_ job: @escaping @Sendable () -> Void) -> Admission {
        state.withLock { state in
            if state.running < slots {
                state.running += 1
                return .starts
            }
            guard state.waiting.count < waitingLimit else { return .refused }
            state.waiting.append(job)
            return .waits
        }
    }

    private func start(_ job: @escaping @Sendable () -> Void) {
        threads.async {
            job()
            if let next = self.next() { self.start(next) }
        }
    }

    /// The job that takes over the slot; without one the slot is free.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
