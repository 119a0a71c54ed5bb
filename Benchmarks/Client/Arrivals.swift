import Synchronization

/// A barrier: counts arriving tasks and lets one task wait for all of them.
final class Arrivals: Sendable {
    private let missing: Mutex<Int>
    private let complete: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(of number: Int) {
        missing = Mutex(number)
        (complete, signal) = AsyncStream.makeStream()
    }

    /// Counts one arrival.
    func arrive() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { signal.finish() }
    }

    /// Waits until all tasks have arrived.
    func everybody() async { for await _ in complete {} }
}
