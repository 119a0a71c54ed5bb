/// At most `limit` events in `window` seconds. A limit of 0 allows none.
package struct RateLimit: Sendable, Equatable {
    package var limit: Int
    package var window: Int
    /// Whether the limit is one of consecutive failures: each event starts the window again, and from the tenth event on
    /// the next one must wait, longer each time (NIST SP 800-63B-4 §3.2.2).
    package var isStreak = false
    /// Events that end in a window, evenly over its time. `nil`: all end together, with the window that their first one began.
    package var refill: Int?

    package init(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
    }

    /// A limit of consecutive failures.
    package static func streak(_ limit: Int, window: Int) -> RateLimit {
        var streak = RateLimit(limit: limit, window: window)
        streak.isStreak = true
        return streak
    }

    /// A limit that fills again evenly, `refill` events in a window. Limits of one counter with the same `refill` are shares of
    /// it: who has the smaller one leaves the rest to the others.
    package static func refilling(_ limit: Int, by refill: Int, window: Int) -> RateLimit {
        var rate = RateLimit(limit: limit, window: window)
        rate.refill = refill
        return rate
    }

    /// The limit for a network of many customers.
    func widened(by factor: Int) -> RateLimit {
        let (wider, isTooLarge) = limit.multipliedReportingOverflow(by: factor)
        return RateLimit(limit: isTooLarge ? .max : wider, window: window)
    }

    /// Seconds that must pass after this many consecutive failures: 30 seconds after ten, then twice as long each time, up
    /// to an hour.
    package static func pause(after failures: Int) -> Int {
        failures < 10 ? 0 : min(3600, 30 << min(failures - 10, 7))
    }
}

extension RateLimit: Codable {
    /// Settings contain limits with a fixed window only.
    private enum CodingKeys: CodingKey {
        case limit, window
    }
}

/// The state of one counter: the number of events, and when its window ends.
///
/// With `RateLimit.refill`, each event counts as many units as the window has seconds, and each second takes `refill` units
/// back. So all numbers are whole, also with a refill of 7 events in a day. The window begins with the last event.
package struct RateCounter: Sendable, Equatable {
    package var count: Int
    package var resetsAt: Timestamp

    package init(count: Int, resetsAt: Timestamp) {
        self.count = count
        self.resetsAt = resetsAt
    }

    /// Seconds from now until which a window can end: the longest one of a setting, a day, and an hour by which the clocks of
    /// nodes may differ. A later end is from a clock that was wrong, such as that of a virtual machine after a restart. Such a
    /// window is over, so that it refuses no call until then.
    package static let latestEnd = 86_400 + 3600

    private func isRunning(_ limit: RateLimit, at now: Timestamp) -> Bool {
        resetsAt > now && resetsAt <= now + max(limit.window + 3600, Self.latestEnd)
    }

    /// Counts one more event. Returns the counter to store, or the time from which a retry is allowed.
    ///
    /// Stores call it inside their transaction, so that counting and deciding are one step.
    package static func take(_ current: RateCounter?, limit: RateLimit, now: Timestamp) -> RateDecision {
        guard limit.limit > 0 else { return .refused(until: now + limit.window) }
        let current = current.flatMap { $0.isRunning(limit, at: now) ? $0 : nil }
        if let refill = limit.refill { return take(current, limit: limit, refill: refill, now: now) }
        guard let current else {
            return .allowed(RateCounter(count: 1, resetsAt: now + limit.window))
        }
        guard current.count < limit.limit else { return .refused(until: current.resetsAt) }
        guard limit.isStreak else {
            return .allowed(RateCounter(count: current.count + 1, resetsAt: current.resetsAt))
        }
        // The window of a streak began with its last event, which a concurrent call may have counted a second later.
        let pause = RateLimit.pause(after: current.count)
        let earliest = current.resetsAt - limit.window + pause
        guard pause == 0 || earliest <= now else { return .refused(until: earliest) }
        return .allowed(
            RateCounter(count: current.count + 1, resetsAt: max(current.resetsAt, now + limit.window)))
    }

    private static func take(_ current: RateCounter?, limit: RateLimit, refill: Int, now: Timestamp) -> RateDecision {
        let window = limit.window
        // The clock of the last event may be ahead.
        let last = current.map { max(now, $0.resetsAt - window) } ?? now
        var units = Int64(window)
        if let current {
            let elapsed = last.milliseconds - (current.resetsAt - window).milliseconds
            units += max(0, Int64(current.count) - Int64(refill) * elapsed / 1000)
        }
        let excess = units - Int64(limit.limit) * Int64(window)
        guard excess <= 0 else {
            let wait = refill > 0 ? (excess * 1000 + Int64(refill) - 1) / Int64(refill) : Int64(window) * 1000
            // A limit that was lowered may be passed by far: the row ends with its window.
            return .refused(until: Timestamp(milliseconds: last.milliseconds + min(wait, Int64(window) * 1000)))
        }
        return .allowed(RateCounter(count: Int(units), resetsAt: last + window))
    }
}

/// A counter with its key in the store.
package struct StoredCounter: Sendable, Equatable {
    /// `CounterKey.text`.
    package let key: String
    package let counter: RateCounter

    package init(key: String, counter: RateCounter) {
        self.key = key
        self.counter = counter
    }
}

package enum RateDecision: Sendable, Equatable {
    case allowed(RateCounter)
    case refused(until: Timestamp)
}
