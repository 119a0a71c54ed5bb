internal import Synchronization

/// How many threads of a pool have a connection, as far as they have noticed.
final class ConnectionCount: Sendable {
    private let stored = Mutex(0)

    var value: Int { stored.withLock(\.self) }

    func add(_ change: Int) { stored.withLock { $0 += change } }
}
