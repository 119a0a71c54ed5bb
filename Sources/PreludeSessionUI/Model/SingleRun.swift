/// Work that a view starts when it appears, one run at a time.
///
/// A view that disappears cancels its run, which may still wait for a call that ignores cancellation. If the view appears
/// again meanwhile, its new call waits for that run to end, and then does the work itself.
@MainActor
final class SingleRun {
    /// Returns whether the run was cancelled.
    private var current: Task<Bool, Never>?

    /// Runs the work, or waits for the run in progress. The work is not repeated after a run that was not cancelled.
    func callAsFunction(_ work: @escaping @MainActor () async -> Void) async {
        while let current {
            guard await current.value else { return }
        }
        guard !Task.isCancelled else { return }
        let run = Task {
            // Before the task returns, so that a waiting call never sees a run that has ended.
            defer { current = nil }
            await work()
            return Task.isCancelled
        }
        current = run
        _ = await withTaskCancellationHandler {
            await run.value
        } onCancel: {
            run.cancel()
        }
    }
}
