internal import Dispatch

/// One expiring activity, from its begin until `end()`.
actor ActivityTurn {
    /// Signalled at the end. Until then it blocks the threads of the activity, never those of Swift's tasks.
    private nonisolated let ended = DispatchSemaphore(value: 0)
    private(set) var isExpired = false
    private var action: (@Sendable () async -> Void)?

    private init() {}

    /// Waits until the system has begun the activity.
    ///
    /// - Throws: `.storageUnavailable` when the system is about to suspend the process.
    static func begin(_ activity: any ExpiringActivity) async throws -> ActivityTurn {
        let turn = ActivityTurn()
        let ended = turn.ended
        let (calls, source) = AsyncStream.makeStream(of: Bool.self)
        activity.perform("prelude-session: shared lock") { isExpired in
            source.yield(isExpired)
            ended.wait()
            // For the other call.
            ended.signal()
            source.finish()
        }
        // In a task of its own: a cancelled caller still has to wait for the system.
        let hasBegun = await Task {
            for await isExpired in calls { return !isExpired }
            return false
        }.value
        guard hasBegun else {
            turn.end()
            throw suspended
        }
        Task { for await isExpired in calls where isExpired { await turn.expire() } }
        return turn
    }

    /// Runs the action when the time is used up, and then ends the activity. At once if it is used up already.
    func onExpiry(_ action: @escaping @Sendable () async -> Void) async {
        self.action = action
        if isExpired { await expire() }
    }

    /// The system may suspend the process from now on. May be called twice.
    nonisolated func end() { ended.signal() }

    /// Without an action the activity goes on until `end()`.
    private func expire() async {
        isExpired = true
        guard let action else { return }
        await action()
        end()
    }

    static let suspended = PreludeSessionError.storageUnavailable(
        "the system is about to suspend the app; try again when the app is active")
}
