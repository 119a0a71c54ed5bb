import Synchronization

/// An answer that waits for the test, so that the test can do something while a call is under way.
public final class HeldAnswer: Sendable {
    private let arrival = Gate()
    private let departure = Gate()

    init() {}

    /// Waits until there is an answer to hold back.
    public func arrived() async { await arrival.pass() }

    /// Lets the answer go to the client, now or as soon as there is one.
    public func release() { departure.open() }

    /// Holds the caller, until the release or until the caller is cancelled.
    func wait() async {
        arrival.open()
        await departure.pass()
    }
}

/// Closed until it is opened, then open for ever.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open, or the caller is cancelled.
    func pass() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    // A cancellation that came before has found nobody to wake.
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
