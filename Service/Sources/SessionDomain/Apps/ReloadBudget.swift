/// Limits how often requests for unknown hosts read the apps from the store.
///
/// A client can send any number of such requests. Each of them would cost a read.
struct ReloadBudget {
    /// The most reads at once.
    static let capacity = 5
    /// Milliseconds after which one more read is allowed.
    static let interval: Int64 = 1000

    private var available = Self.capacity
    /// The uptime up to which the reads that became available are counted. `nil` before the first read.
    private var countedUntil: Int64?

    /// Spends one read.
    ///
    /// - Parameter uptime: Milliseconds.
    /// - Returns: Whether the read is allowed.
    mutating func take(uptime: Int64) -> Bool {
        let start = countedUntil ?? uptime
        let gained = max(0, uptime - start) / Self.interval
        countedUntil = start + gained * Self.interval
        available = Int(min(Int64(Self.capacity), Int64(available) + gained))
        guard available > 0 else { return false }
        available -= 1
        return true
    }
}
