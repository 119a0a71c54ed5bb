/// A limit that stopped a call.
package struct ReachedLimit: Sendable, Equatable {
    /// The counter that is at its limit.
    package let counter: CounterKey
    /// The time from which a retry is allowed.
    package let until: Timestamp
    /// Whether this call is the first one that the limit stops in its hour.
    package let isReported: Bool

    package init(_ counter: CounterKey, until: Timestamp, isReported: Bool = false) {
        self.counter = counter
        self.until = until
        self.isReported = isReported
    }

    /// The identifiers for which a limit that users share is reported in an hour.
    static let maximumReports = RateLimit(limit: 1000, window: 3600)

    /// Reserves the report of the limit in the hour of its end.
    var reportKey: String { "login.limited/\(counter.text)/\(until.seconds / 3600)" }

    /// The limit, reported by these changes if it is the first time.
    func reported(by changes: [Change]) -> ReachedLimit {
        ReachedLimit(counter, until: until, isReported: changes.contains { $0.isRedemption(of: reportKey) })
    }

    /// The answer to the caller. It does not name the limit; the observer learns its name.
    func refusal(now: Timestamp, observer: any ServiceObserver) -> Refusal {
        observer.observe(.limitReached(counter.limit))
        return .rateLimited(retryAfter: until.retryAfter(from: now))
    }
}

extension Facts {
    /// The counter of a budget that is at its limit; the one that ends last if there are several.
    package func reached(_ counters: [FactQuery.CounterSelector]) -> ReachedLimit? {
        counters.compactMap { selector in limit(of: selector.key).map { ReachedLimit(selector.key, until: $0) } }
            .max { $0.until < $1.until }
    }
}

extension Change {
    fileprivate func isRedemption(of key: String) -> Bool {
        if case .redeem(let redeemed, _, _) = self { redeemed == key } else { false }
    }
}
