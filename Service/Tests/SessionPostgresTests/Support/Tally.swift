internal import Synchronization

/// A count of what several tasks do.
final class Tally: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock(\.self) }

    func add() { value.withLock { $0 += 1 } }
}
