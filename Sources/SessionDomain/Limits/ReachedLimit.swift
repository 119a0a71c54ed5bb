/// A limit that stopped a call.
package struct ReachedLimit: Sendable, Equatable {
    /// The counter that is at its limit.
    package let counter: CounterKey
    /// The time from which a retry is allowed.
    package let until: Timestamp

    package init(_ counter: CounterKey, until: Timestamp) {
        self.counter = counter
        self.until = until
    }

    /// The answer to the caller. It does not name the limit.
    func refusal(now: Timestamp) -> Refusal { .rateLimited(retryAfter: until.retryAfter(from: now)) }
}

extension Facts {
    /// The counter of a budget that is at its limit; the one that ends last if there are several.
    package func reached(_ counters: [FactQuery.CounterSelector]) -> ReachedLimit? {
        counters.compactMap { selector in limit(of: selector.key).map { ReachedLimit(selector.key, until: $0) } }
            .max { $0.until < $1.until }
    }
}
