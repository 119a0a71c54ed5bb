/// A counter that runs, beside its limit: what an operator looks at when a user cannot sign in.
package struct RunningLimit: Sendable, Equatable {
    package let name: LimitName
    /// The counter as the store names it: what is counted, and whose it is.
    package let counter: String
    package let count: Int
    package let maximum: Int
    /// When nothing of it is left, if no further event comes.
    package let endsAt: Timestamp
    /// The next event is refused until this time. `nil`: it is allowed.
    package let refusedUntil: Timestamp?

    /// - Returns: `nil` for a counter that has ended.
    init?(_ name: LimitName, _ stored: StoredCounter, limit: RateLimit, now: Timestamp) {
        guard stored.counter.resetsAt > now else { return nil }
        self.name = name
        counter = stored.key
        count = stored.counter.events(limit, now: now)
        maximum = limit.limit
        endsAt = stored.counter.resetsAt
        if case .refused(let until) = RateCounter.take(stored.counter, limit: limit, now: now) {
            refusedUntil = until
        } else {
            refusedUntil = nil
        }
    }
}

extension RateCounter {
    /// The events that count now.
    fileprivate func events(_ limit: RateLimit, now: Timestamp) -> Int {
        guard let refill = limit.refill else { return count }
        let elapsed = max(0, now.milliseconds - (resetsAt - limit.window).milliseconds)
        let units = max(0, Int64(count) - Int64(refill) * elapsed / 1000)
        return Int((units + Int64(limit.window) - 1) / Int64(limit.window))
    }
}

extension OTPLimits {
    /// The limit of a counter, for a network without its widening. `nil`: the counter is a mark, or counts nothing of its own.
    func rate(of key: CounterKey) -> RateLimit? {
        let day = 86_400
        switch key {
        case .starts: return starts
        case .failures(_, .hour): return failedChecks
        case .failures(_, .day): return RateLimit(limit: failedChecksPerDay, window: day)
        case .failures(_, .streak): return .streak(consecutiveFailures, window: Self.streakWindow)
        // Two devices or sessions of one user share twice the limit of one.
        case .failuresOfGroup: return RateLimit(limit: 2 * failedChecksPerDay, window: day)
        case .sends(_, .hour): return RateLimit(limit: sendsPerHour, window: 3600)
        case .sends: return RateLimit(limit: sendsPerDay, window: day)
        case .sendsOfGroup: return RateLimit(limit: 2 * sendsPerDay, window: day)
        case .sendsOfApp, .sendsToCallingCode, .sendsToNumberRange:
            return perDay(of: key).map { total in .refilling(total - total / 5, by: total - total / 5, window: day) }
        case .startsOfNetwork: return startsPerAddress
        case .failuresOfNetwork: return failuresPerAddress
        case .migrationsOfNetwork: return migrationsPerAddress
        case .stepUps: return stepUps
        case .deliveryTests: return deliveryTests
        case .notices: return RateLimit(limit: noticesPerDay, window: day)
        case .reserve, .withheld, .failing, .reports: return nil
        }
    }

    /// The messages of a total in a day, with its reserve. `nil` for a counter that is no total.
    func perDay(of key: CounterKey) -> Int? {
        switch key {
        case .sendsOfApp: appSendsPerDay
        case .sendsToCallingCode: callingCodeSendsPerDay
        case .sendsToNumberRange: numberRangeSendsPerDay
        default: nil
        }
    }
}
