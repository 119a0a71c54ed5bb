import Foundation
import Synchronization

@testable import PreludeSession

/// Expiring activities that a test plays. Like the system it calls each block on a thread of its own.
final class PlayedActivity: ExpiringActivity {
    private struct State {
        var blocks: [Int: @Sendable (Bool) -> Void] = [:]
        var begun = 0
        var isRefused = false
        var waiting: [(begun: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Whether that many activities have begun, and all of them have ended.
        func hasEnded(_ count: Int) -> Bool { begun >= count && blocks.isEmpty }
    }

    private let state = Mutex(State())

    /// How many activities have begun.
    var begun: Int { state.withLock { $0.begun } }
    /// How many activities have begun and not ended.
    var running: Int { state.withLock { $0.blocks.count } }

    /// The system has no time left for new activities.
    func refuse() { state.withLock { $0.isRefused = true } }

    func perform(_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
        let number: Int? = state.withLock { state in
            guard !state.isRefused else { return nil }
            state.begun += 1
            state.blocks[state.begun] = block
            return state.begun
        }
        Thread.detachNewThread {
            guard let number else { return block(true) }
            block(false)
            self.end(number)
        }
    }

    /// The time of all running activities is used up.
    func expire() {
        for block in state.withLock({ Array($0.blocks.values) }) { Thread.detachNewThread { block(true) } }
    }

    private func end(_ number: Int) {
        let ready = state.withLock { state in
            state.blocks[number] = nil
            let now = state
            state.waiting.removeAll { now.hasEnded($0.begun) }
            return now.waiting.filter { now.hasEnded($0.begun) }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until that many activities have begun and all of them have ended. Then the system may suspend the process.
    func allEnded(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                let hasEnded = state.hasEnded(count)
                if !hasEnded { state.waiting.append((count, continuation)) }
                return hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }
}
