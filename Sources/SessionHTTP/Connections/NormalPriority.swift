import Synchronization

/// Runs the work of requests at normal priority, below the tasks that accept connections.
///
/// Tasks of one priority wait in one line. A new connection would wait behind all requests, and with it a health check.
@available(service, *)
enum NormalPriority {
    /// Runs the work in a task of its own, and returns when it has ended. A cancellation reaches it.
    ///
    /// Waiting for the value of a task would raise its priority to that of the caller.
    static func run(_ work: @escaping @Sendable () async -> Void) async {
        let running = RunningTask()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                running.set(
                    Task(priority: .medium) {
                        await work()
                        continuation.resume()
                    })
            }
        } onCancel: {
            running.cancel()
        }
    }
}

/// A task that may be cancelled before it exists.
@available(service, *)
private final class RunningTask: Sendable {
    private let state = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    func set(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}
