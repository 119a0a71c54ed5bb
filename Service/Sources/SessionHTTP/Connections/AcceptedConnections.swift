import Synchronization

/// Connections that are accepted, and that no task serves yet.
///
/// Under load they wait long for a task, and some are closed meanwhile. So their number has a bound of its own.
final class AcceptedConnections: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    /// - Parameter limit: The most connections that wait for a task.
    init(limit: Int) { self.limit = limit }

    /// Whether further connections may be accepted before a task is free.
    var hasRoom: Bool { count.load(ordering: .relaxed) < limit }

    func accepted() { count.add(1, ordering: .relaxed) }

    /// A task serves the connection, or it has failed before.
    func left() { count.subtract(1, ordering: .relaxed) }
}
