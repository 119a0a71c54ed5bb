import Synchronization

/// Counts who has come, and lets one wait for the last of them.
final class Arrivals: Sendable {
    private let missing: Mutex<Int>
    private let complete: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(of number: Int) {
        missing = Mutex(number)
        (complete, signal) = AsyncStream.makeStream()
    }

    /// Somebody is here.
    func arrive() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { signal.finish() }
    }

    /// Returns when all are here.
    func everybody() async { for await _ in complete {} }
}
