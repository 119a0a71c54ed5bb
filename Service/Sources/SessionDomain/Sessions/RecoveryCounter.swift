internal import Synchronization

/// Counts sessions that were recovered since this process started, so that one restored backup does not fill the log.
final class RecoveryCounter: Sendable {
    private struct State {
        var count = 0
        var reported = 0
    }

    private let state = Mutex(State())

    /// Counts one recovery.
    ///
    /// - Returns: A notice for the first recovery.
    func count() -> ServiceNotice? {
        state.withLock { state in
            state.count += 1
            guard state.count == 1 else { return nil }
            state.reported = 1
            return .sessionsRecovered(count: 1)
        }
    }

    /// A notice if sessions were recovered since the last one. Called once a minute.
    func due() -> ServiceNotice? {
        state.withLock { state in
            guard state.count > state.reported else { return nil }
            state.reported = state.count
            return .sessionsRecovered(count: state.count)
        }
    }
}
