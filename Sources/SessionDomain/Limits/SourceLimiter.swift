internal import Synchronization

/// Rate limits by source address, in the memory of this process. The number of addresses is bounded.
///
/// They slow down a single sender. Limits that protect a user are counted in the store, by identifier.
package final class SourceLimiter: Sendable {
    private let counters = Mutex<[String: RateCounter]>([:])
    private let capacity: Int

    /// - Parameter capacity: The maximum number of counters, about 100 bytes each.
    package init(capacity: Int = 50_000) {
        self.capacity = capacity
    }

    /// Counts one event of a kind from an address.
    ///
    /// - Throws: `Refusal.rateLimited` if the limit is exceeded.
    package func take(_ kind: String, source: SourceAddress, limit: RateLimit, now: Timestamp) throws(Refusal) {
        guard !source.isExempt else { return }
        let key = kind + "/" + source.limitKey
        let decision = counters.withLock { counters in
            if counters[key] == nil, counters.count >= capacity { Self.makeRoom(in: &counters, now: now) }
            let decision = RateCounter.take(counters[key], limit: limit, now: now)
            if case .allowed(let counter) = decision { counters[key] = counter }
            return decision
        }
        if case .refused(let until) = decision { throw .rateLimited(retryAfter: until.retryAfter(from: now)) }
    }

    /// Removes counters whose window has ended, or a tenth of all if there are none, so that memory stays bounded.
    private static func makeRoom(in counters: inout [String: RateCounter], now: Timestamp) {
        let before = counters.count
        counters = counters.filter { $0.value.resetsAt > now }
        if counters.count == before {
            for key in counters.keys.prefix(max(1, before / 10)) { counters[key] = nil }
        }
    }
}
