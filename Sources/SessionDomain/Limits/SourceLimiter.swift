internal import Foundation
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

/// The source address of a request, as the trusted edge reports it.
package struct SourceAddress: Sendable, Equatable {
    package let ip: String
    /// Whether no limit applies: in development mode, loopback is exempt.
    package let isExempt: Bool

    package init(ip: String, isExempt: Bool = false) {
        self.ip = ip
        self.isExempt = isExempt
    }

    /// The key for limits: an IPv4 address, or the /64 network of an IPv6 address, which is one customer (RFC 6177).
    var limitKey: String {
        guard ip.contains(":"), !ip.contains(".") else { return ip }
        let halves = ip.split(separator: "%")[0].components(separatedBy: "::")
        let head = halves[0].split(separator: ":").map(String.init)
        guard halves.count == 2 else { return head.prefix(4).joined(separator: ":") }
        let tail = halves[1].split(separator: ":").map(String.init)
        let zeros = [String](repeating: "0", count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":")
    }
}
