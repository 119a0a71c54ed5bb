import Synchronization

@testable import SessionDomain

/// Lanes with numbers of parcels. A parcel is the name of its lane.
final class Numbers: Outbox {
    struct Lane: Identifiable, Sendable {
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

    init(_ lanes: [String: Int], _ attempt: @escaping @Sendable (String) async throws -> Bool) {
        state = Mutex(lanes)
        self.attempt = attempt
    }

    var left: [String: Int] { state.withLock { $0.filter { $0.value > 0 } } }

    func add(_ count: Int, to lane: String) { state.withLock { $0[lane, default: 0] += count } }

    func due(at now: Timestamp) async throws -> [(lane: Lane, count: Int)] {
        onRead.withLock { $0 }()
        if isBroken.withLock({ $0 }) { throw OutboxFailure() }
        return left.sorted { $0.key < $1.key }.map { (Lane(id: $0.key), $0.value) }
    }

    func claim(in lane: Lane, at now: Timestamp) async throws -> String? {
        state.withLock { state in
            guard let count = state[lane.id], count > 0 else { return nil }
            state[lane.id] = count - 1
            return lane.id
        }
    }

    func deliver(_ parcel: String) async throws -> Bool { try await attempt(parcel) }
}

struct OutboxFailure: Error {}

/// A value that closures of a test change.
final class Noted<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    init(_ value: Value) { stored = Mutex(value) }

    var value: Value { stored.withLock { $0 } }

    func change(_ change: (inout Value) -> Void) { stored.withLock { change(&$0) } }
}
