/// At most `limit` events in `window` seconds. A limit of 0 allows none.
package struct RateLimit: Sendable, Equatable {
    package var limit: Int
    package var window: Int
    /// Whether the limit is one of consecutive failures: each event starts the window again, and from the tenth event on
    /// the next one must wait, longer each time (NIST SP 800-63B-4 §3.2.2).
    package var isStreak = false

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
package struct RateCounter: Sendable, Equatable {
    package var count: Int
    package var resetsAt: Timestamp

    package init(count: Int, resetsAt: Timestamp) {
        self.count = count
        self.resetsAt = resetsAt
    }

    /// Counts one more event. Returns the counter to store, or the time from which a retry is allowed.
    ///
    /// Stores call it inside their transaction, so that counting and deciding are one step.
    package static func take(_ current: RateCounter?, limit: RateLimit, now: Timestamp) -> RateDecision {
        guard limit.limit > 0 else { return .refused(until: now + limit.window) }
        guard let current, current.resetsAt > now else {
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
