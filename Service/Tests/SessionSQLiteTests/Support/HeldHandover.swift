import SessionSQL
import Synchronization

/// A handover whose turn ends when a test says so.
final class HeldHandover: Handover {
    private let state = Mutex<(starts: [@Sendable () -> Void], rounds: Int)>(([], 0))

    /// How often tasks were resumed together.
    var rounds: Int { state.withLock { $0.rounds } }

    func afterTick(_ start: @escaping @Sendable () -> Void) { state.withLock { $0.starts.append(start) } }

    func resuming(_ resume: () -> Void) {
        state.withLock { $0.rounds += 1 }
        resume()
    }

    func endTurn() {
        let starts = state.withLock { state in
            defer { state.starts = [] }
            return state.starts
        }
        for start in starts { start() }
    }
}
