/// At most `limit` events in `window` seconds. A limit of 0 allows none.
package struct RateLimit: Sendable, Equatable, Codable {
    package var limit: Int
    package var window: Int

    package init(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
    }
}

/// The state of one counter: the number of events, and when the window that began with the first event ends.
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
        return .allowed(RateCounter(count: current.count + 1, resetsAt: current.resetsAt))
    }
}

package enum RateDecision: Sendable, Equatable {
    case allowed(RateCounter)
    case refused(until: Timestamp)
}
