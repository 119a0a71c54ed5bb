import Synchronization

@testable import SessionDomain

/// Queues with numbers of items. An item is the name of its queue.
final class Numbers: Outbox {
    struct Queue: Identifiable, Sendable {
        let id: String
    }

    static let kind = OutboxKind.messages
    static let width = 2
    static let capacity = 3
    static let grace = 8
    let isBroken = Mutex(false)
    let onRead = Mutex<@Sendable () -> Void>({})
    private let state: Mutex<[String: Int]>
    private let attempt: @Sendable (String) async throws -> Bool

    init(_ queues: [String: Int], _ attempt: @escaping @Sendable (String) async throws -> Bool) {
        state = Mutex(queues)
        self.attempt = attempt
    }

    var left: [String: Int] { state.withLock { $0.filter { $0.value > 0 } } }

    func add(_ count: Int, to queue: String) { state.withLock { $0[queue, default: 0] += count } }

    func due(at now: Timestamp) async throws -> [(queue: Queue, count: Int)] {
        onRead.withLock { $0 }()
        if isBroken.withLock({ $0 }) { throw OutboxFailure() }
        return left.sorted { $0.key < $1.key }.map { (Queue(id: $0.key), $0.value) }
    }

    func claim(in queue: Queue, at now: Timestamp) async throws -> String? {
        state.withLock { state in
            guard let count = state[queue.id], count > 0 else { return nil }
            state[queue.id] = count - 1
            return queue.id
        }
    }

    func deliver(_ item: String) async throws -> Bool { try await attempt(item) }
}

struct OutboxFailure: Error {}

/// A value that closures of a test change.
final class Noted<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    init(_ value: Value) { stored = Mutex(value) }

    var value: Value { stored.withLock { $0 } }

    func change(_ change: (inout Value) -> Void) { stored.withLock { change(&$0) } }
}
