internal import Synchronization

/// Whether a store can write, as its last transactions have shown, and how often it has failed.
///
/// The store reports each transaction here, so health checks need no write of their own while there is traffic. While
/// the store fails, the log gets one line per second at most, whatever the number of failing calls.
package final class StoreHealth: Sendable {
    private struct State {
        var isFailing = false
        var failures = 0
        /// The uptime of the last transaction that has ended.
        var lastTransaction: Int64?
        var lines = FailureLines()
    }

    private let state = Mutex(State())
    private let uptime: @Sendable () -> Int64
    private let observer: any ServiceObserver

    /// - Parameters:
    ///   - uptime: Milliseconds on a clock that never jumps.
    ///   - observer: Receives a notice when the store fails, and when it works again.
    package init(
        uptime: @escaping @Sendable () -> Int64 = ServiceEnvironment.live.uptime,
        observer: any ServiceObserver = NoObserver()
    ) {
        self.uptime = uptime
        self.observer = observer
    }

    /// Whether the last transaction could not be committed.
    package var isFailing: Bool { state.withLock(\.isFailing) }

    /// Failed transactions, reads and writes since the start.
    package var failures: Int { state.withLock(\.failures) }

    /// Milliseconds since the last transaction ended. `nil` before the first one.
    package var age: Int64? {
        let now = uptime()
        return state.withLock(\.lastTransaction).map { max(0, now - $0) }
    }

    /// A transaction is on the disk. The end of an outage that has no line yet gets it with a later transaction.
    package func committed() {
        let now = uptime()
        let notice = state.withLock { state -> ServiceNotice? in
            state.lastTransaction = now
            state.isFailing = false
            guard let (failures, seconds) = state.lines.recovered(at: now) else { return nil }
            return .storeRecovered(failures: failures, seconds: seconds)
        }
        if let notice { observer.observe(.notice(notice)) }
    }

    /// A transaction could not be committed. The store counts as failing until one is.
    package func failedTransaction(_ error: StoreError) { note(error, endsTransaction: true) }

    /// A read, or one write of a transaction, has failed. Other ones may work.
    package func failed(_ error: StoreError) { note(error, endsTransaction: false) }

    private func note(_ error: StoreError, endsTransaction: Bool) {
        // Full queues are load, and say nothing about the disk.
        guard error != .overloaded else { return }
        let now = uptime()
        let count = state.withLock { state -> Int? in
            state.failures += 1
            if endsTransaction { (state.isFailing, state.lastTransaction) = (true, now) }
            return state.lines.failed(at: now, endsTransaction: endsTransaction)
        }
        if let count { observer.observe(.notice(.storeFailed(error, count: count))) }
    }
}
