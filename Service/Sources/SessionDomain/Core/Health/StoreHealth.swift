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

/// Decides which failures get a line in the log: the first one at once, then one per second with the number of failures
/// since the last line. Recoveries have one line per second, too: a disk that is almost full fails and works in turn.
private struct FailureLines: Sendable {
    /// Milliseconds between two lines.
    static let interval: Int64 = 1000

    private var lastLine: Int64?
    private var lastRecovery: Int64?
    private var unreported = 0
    /// The uptime of the first failed transaction since the last reported recovery, and the failures since then.
    private var outage: (start: Int64, failures: Int)?

    /// Returns the number that the line must contain. `nil`: no line now.
    ///
    /// - Parameters:
    ///   - now: Milliseconds on a clock that never jumps.
    ///   - endsTransaction: Whether an outage begins, if there is none.
    mutating func failed(at now: Int64, endsTransaction: Bool) -> Int? {
        unreported += 1
        if endsTransaction || outage != nil { outage = (outage?.start ?? now, (outage?.failures ?? 0) + 1) }
        if let lastLine, now - lastLine < Self.interval { return nil }
        defer { unreported = 0 }
        lastLine = now
        return unreported
    }

    /// Ends the outage after a transaction that worked, if its line is due. Returns its failures and its seconds.
    mutating func recovered(at now: Int64) -> (failures: Int, seconds: Int)? {
        guard let outage else { return nil }
        if let lastRecovery, now - lastRecovery < Self.interval { return nil }
        (self.outage, unreported, lastRecovery) = (nil, 0, now)
        return (outage.failures, Int(max(0, now - outage.start) / 1000))
    }
}
