import Foundation
import Synchronization

@testable import PreludeSession

/// The signal between the clients of a test, as between processes.
final class PlayedSignal: ChangeSignal {
    private struct State {
        var heard: [Int: @Sendable () -> Void] = [:]
        var next = 0
        var posts = 0
    }

    private let state = Mutex(State())

    /// How many clients observe it.
    var observers: Int { state.withLock { $0.heard.count } }
    var posts: Int { state.withLock { $0.posts } }

    func post() {
        let heard = state.withLock { state in
            state.posts += 1
            return Array(state.heard.values)
        }
        for heard in heard { heard() }
    }

    func observe(_ heard: @escaping @Sendable () -> Void) -> AnyObject {
        let number = state.withLock { state in
            state.next += 1
            state.heard[state.next] = heard
            return state.next
        }
        return Observation { [weak self] in _ = self?.state.withLock { $0.heard.removeValue(forKey: number) } }
    }

    private final class Observation {
        private let end: () -> Void
        init(end: @escaping () -> Void) { self.end = end }
        deinit { end() }
    }
}

/// The store of a test as processes share it: with a signal.
struct SharedStore: SharedCredentialStore {
    let store: FaultyStore
    let signal: PlayedSignal

    func changeSignal(of endpoint: String) -> (any ChangeSignal)? { signal }

    func read(_ name: String) async throws -> Data? { try await store.read(name) }
    func write(_ data: Data, to name: String) async throws { try await store.write(data, to: name) }
    func delete(_ name: String) async throws { try await store.delete(name) }

    func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer { try await store.withLock(name, work) }
}
