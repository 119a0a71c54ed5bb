internal import Synchronization

/// The deliveries of a worker that are in progress, the queues that wait for a slot, and who waits for the end.
final class DeliverySlots<Queue: Identifiable & Sendable>: Sendable where Queue.ID: Sendable {
    private struct State {
        var slots: FairSlots<Queue.ID>
        /// Queues that have something due, longest due first, with the number of slots that they can use.
        var wanted: [(queue: Queue, count: Int)] = []
        var settling: [CheckedContinuation<Void, Never>] = []

        mutating func want(_ queue: Queue, _ count: Int) {
            if let index = wanted.firstIndex(where: { $0.queue.id == queue.id }) {
                wanted[index] = (queue, count)
            } else {
                wanted.append((queue, count))
            }
        }

        mutating func take() -> Queue? {
            guard let id = slots.take(for: wanted.lazy.map(\.queue.id)),
                let index = wanted.firstIndex(where: { $0.queue.id == id })
            else { return nil }
            defer {
                wanted[index].count -= 1
                if wanted[index].count <= 0 { wanted.remove(at: index) }
            }
            return wanted[index].queue
        }

        mutating func takeAll() -> [Queue] {
            var queues: [Queue] = []
            while let queue = take() { queues.append(queue) }
            return queues
        }
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - width: The number of slots of one queue.
    ///   - capacity: The number of slots of all queues.
    init(width: Int, capacity: Int) {
        state = Mutex(State(slots: FairSlots(width: width, capacity: capacity)))
    }

    /// Reserves slots for work that is due.
    ///
    /// - Returns: A queue for each slot.
    func reserve(for due: [(queue: Queue, count: Int)]) -> [Queue] {
        state.withLock { state in
            for (queue, count) in due { state.want(queue, count) }
            return state.takeAll()
        }
    }

    /// Reserves slots for one more item of each of these queues.
    ///
    /// - Returns: A queue for each slot.
    func reserve(adding written: [Queue]) -> [Queue] {
        guard !written.isEmpty else { return [] }
        return state.withLock { state in
            for queue in written { state.want(queue, 1 + (state.wanted.first { $0.queue.id == queue.id }?.count ?? 0)) }
            return state.takeAll()
        }
    }

    /// Takes a slot for a queue, unless others wait.
    func takeSlot(in queue: Queue) -> Bool {
        state.withLock { $0.wanted.isEmpty && $0.slots.take(for: CollectionOfOne(queue.id)) != nil }
    }

    /// What is known about a queue after a delivery.
    enum Remainder {
        /// It may have more that is due.
        case some
        /// It stops.
        case none
        /// Nothing new.
        case asBefore
    }

    /// Frees a slot after one delivery, and takes it for the queue whose turn it is.
    ///
    /// - Returns: `nil` if no queue may have the slot.
    func pass(from queue: Queue, _ remainder: Remainder) -> Queue? {
        change { state in
            state.slots.free(queue.id)
            switch remainder {
            case .none: state.wanted.removeAll { $0.queue.id == queue.id }
            case .some where !state.wanted.contains { $0.queue.id == queue.id }: state.want(queue, 1)
            case .some, .asBefore: break
            }
            return state.take()
        }
    }

    /// Frees a slot. Returns whether queues wait for one.
    @discardableResult
    func free(_ queue: Queue) -> Bool {
        change { state in
            state.slots.free(queue.id)
            return !state.wanted.isEmpty
        }
    }

    /// Returns when no slot is taken.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.slots.total > 0 { state.settling.append(continuation) }
                return state.slots.total == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, settled) = state.withLock { state in
            let result = change(&state)
            guard state.slots.total == 0 else { return (result, [CheckedContinuation<Void, Never>]()) }
            defer { state.settling = [] }
            return (result, state.settling)
        }
        for continuation in settled { continuation.resume() }
        return result
    }
}

/// Shares slots among queues, so that queues that keep their slots for long leave some to the others.
///
/// A free slot goes to the waiting queue that has the fewest, and of those to the one that has waited longest since it got
/// one. A queue that has slots gets one more only while a reserve stays free: a quarter of all, and up to as much again
/// the more it has. So a queue that has none finds a slot, unless there are almost as many busy queues as slots.
package struct FairSlots<ID: Hashable & Sendable>: Sendable {
    private let width: Int
    private let capacity: Int
    private var taken: [ID: Int] = [:]
    private var grants = 0
    /// The number of the last grant of each queue.
    private var lastGrant: [ID: Int] = [:]
    /// The number of slots that are taken.
    package private(set) var total = 0

    /// - Parameters:
    ///   - width: The number of slots that one queue may have.
    ///   - capacity: The number of all slots.
    package init(width: Int, capacity: Int) {
        self.width = width
        self.capacity = capacity
    }

    /// Takes a slot for one of the queues. Of equal ones, the first.
    ///
    /// - Returns: `nil` if no queue may have one now.
    package mutating func take(for waiting: some Sequence<ID>) -> ID? {
        let free = capacity - total
        var best: (queue: ID, taken: Int, lastGrant: Int)?
        for queue in waiting {
            let candidate = (queue, taken[queue, default: 0], lastGrant[queue, default: 0])
            guard candidate.1 < width, free > reserve(from: candidate.1) else { continue }
            if let best, (best.taken, best.lastGrant) <= (candidate.1, candidate.2) { continue }
            best = candidate
        }
        guard let queue = best?.queue else { return nil }
        grants += 1
        total += 1
        taken[queue, default: 0] += 1
        lastGrant[queue] = grants
        return queue
    }

    package mutating func free(_ queue: ID) {
        total -= 1
        taken[queue] = taken[queue].flatMap { $0 > 1 ? $0 - 1 : nil }
        if lastGrant.count > 8 * capacity { lastGrant = lastGrant.filter { taken[$0.key] != nil } }
    }

    /// The number of slots that a queue with this many leaves free.
    private func reserve(from count: Int) -> Int { count == 0 ? 0 : capacity / 4 + capacity * count / (4 * width) }
}
