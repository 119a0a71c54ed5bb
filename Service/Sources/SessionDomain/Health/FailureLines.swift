/// Decides which failures get a line in the log: the first one at once, then one per second with the number of failures
/// since the last line. Recoveries have one line per second, too: a disk that is almost full fails and works in turn.
struct FailureLines: Sendable {
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
