/// When a pending message is due: from its time on, and also when that is so far ahead that the clock must have been set
/// back meanwhile.
package struct DueTimes: Sendable, Equatable {
    /// Seconds. No message waits longer than a lease or the longest back-off, with a margin for small corrections of the
    /// clock.
    private static let longestWait = 120

    package let now: Timestamp
    /// What is due later than this is due now.
    package let horizon: Timestamp

    package init(now: Timestamp) {
        self.now = now
        horizon = now + Self.longestWait
    }

    package func contains(_ time: Timestamp) -> Bool { time <= now || time > horizon }
}
