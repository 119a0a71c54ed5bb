/// Decides which failures get a line in the log: the first one at once, then one per second with the number of failures
/// since the last line.
struct FailureLines: Sendable {
    /// Milliseconds between two lines.
    static let interval: Int64 = 1000

    private var lastLine: Int64?
    private var unreported = 0
    /// The uptime of the first failure since the last recovery, and the failures since then.
    private var outage: (start: Int64, failures: Int)?

    /// Returns the number that the line must contain. `nil`: no line now.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    mutating func failed(at now: Int64) -> Int? {
        unreported += 1
        outage = (outage?.start ?? now, (outage?.failures ?? 0) + 1)
        if let lastLine, now - lastLine < Self.interval { return nil }
        defer { unreported = 0 }
        lastLine = now
        return unreported
    }

    /// Ends the outage. Returns its failures and its seconds.
    mutating func recovered(at now: Int64) -> (failures: Int, seconds: Int) {
        defer { (outage, unreported) = (nil, 0) }
        guard let outage else { return (0, 0) }
        return (outage.failures, Int(max(0, now - outage.start) / 1000))
    }
}
