import Foundation
import PreludeSessionVerifier
import Synchronization

/// A key source in memory. It counts fetches and can fail or block.
final class ScriptedKeySource: KeySetSource {
    struct Down: Error {}

    private struct State {
        var response: Result<FetchedKeySet, Down>
        var fetches = 0
        /// The blocked fetches; `nil` if fetches are not blocked.
        var waiting: [CheckedContinuation<Void, Never>]?
    }

    private let state: Mutex<State>

    init(_ json: Data) { state = Mutex(State(response: .success(FetchedKeySet(json: json)))) }

    var fetches: Int { state.withLock { $0.fetches } }

    func publish(_ json: Data, maxAge: Double? = nil) {
        state.withLock { $0.response = .success(FetchedKeySet(json: json, maxAge: maxAge)) }
    }

    func goDown() { state.withLock { $0.response = .failure(Down()) } }

    /// Blocks all following fetches until `release()`.
    func hold() { state.withLock { $0.waiting = [] } }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    func fetch() async throws -> FetchedKeySet {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.fetches += 1
                state.waiting?.append(continuation)
                return state.waiting != nil
            }
            if !isHeld { continuation.resume() }
        }
        return try state.withLock { $0.response }.get()
    }
}
