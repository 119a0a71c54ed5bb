/// How the threads of requests and the writer of a store pass work to each other.
///
/// To wake a thread for each job costs more than most jobs. So a thread first finishes what it can do without waiting, and
/// then wakes another one for everything that it has for it. A thread that has only one job passes it on at once.
package protocol Handover: Sendable {
    /// Runs the closure when the current thread has nothing else to do; at once on a thread that serves no requests.
    func afterTurn(_ start: @escaping @Sendable () -> Void)
    /// Runs the closure, which resumes tasks. The threads of these tasks wake up after it, each one once.
    func resuming(_ resume: () -> Void)
}

/// Passes each job on at once.
package struct DirectHandover: Handover {
    package init() {}

    package func afterTurn(_ start: @escaping @Sendable () -> Void) { start() }

    package func resuming(_ resume: () -> Void) { resume() }
}
