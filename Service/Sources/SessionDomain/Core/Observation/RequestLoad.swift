internal import Synchronization

/// What a listener has to do now.
package struct ListenerLoad: Sendable, Equatable {
    /// The name of a listener in metrics.
    package enum Listener: String, Sendable, CaseIterable {
        /// The listener of the apps. Without a port of its own, the management API is there, too.
        case apps
        case management
    }

    package let listener: Listener
    /// Open connections, with those on which only health checks are answered.
    package let connections: Int
    /// Requests in work. Each class has a value.
    package let requests: [RequestClass: Int]

    package init(_ listener: Listener, connections: Int, requests: [RequestClass: Int]) {
        self.listener = listener
        self.connections = connections
        self.requests = requests
    }
}

/// Knows the load of all listeners of a process. Listeners add themselves; exporters ask for values when they need them.
package final class LoadMonitor: Sendable {
    private let sources = Mutex<[@Sendable () -> ListenerLoad]>([])

    package init() {}

    /// - Parameter source: Returns the load of a listener at once. It is called on any thread.
    package func add(_ source: @escaping @Sendable () -> ListenerLoad) { sources.withLock { $0.append(source) } }

    /// The load of each listener, in the order in which they were added.
    package var loads: [ListenerLoad] { sources.withLock { $0 }.map { $0() } }
}

/// What a request is for. Under overload, those of the later classes are rejected first.
package enum RequestClass: String, Sendable, CaseIterable {
    /// Keeps or ends sessions, what backends need to verify tokens, and what operators need under overload.
    case session
    /// Signs users in.
    case login
    /// Other changes.
    case change
    /// Reads that can wait.
    case read
}
