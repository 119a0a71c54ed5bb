internal import Foundation
internal import Synchronization

/// Limits by source address, kept in this node's memory: bounded, and gone with the node.
///
/// They slow a single sender down; what protects a user is counted in the store, by identifier.
package final class SourceLimiter: Sendable {
    private let counters = Mutex<[String: RateCounter]>([:])
    private let capacity: Int

    /// - Parameter capacity: Addresses remembered at most, about 100 bytes each.
    package init(capacity: Int = 50_000) {
        self.capacity = capacity
    }

    /// Counts one event of a kind from an address.
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

    /// Drops what has run out, or else a tenth of everything: memory stays bounded under any flood.
    private static func makeRoom(in counters: inout [String: RateCounter], now: Timestamp) {
        let before = counters.count
        counters = counters.filter { $0.value.resetsAt > now }
        if counters.count == before {
            for key in counters.keys.prefix(max(1, before / 10)) { counters[key] = nil }
        }
    }
}

/// Where a request comes from, as the trusted edge says.
package struct SourceAddress: Sendable, Equatable {
    package let ip: String
    /// Development mode lets loopback off.
    package let isExempt: Bool

    package init(ip: String, isExempt: Bool = false) {
        self.ip = ip
        self.isExempt = isExempt
    }

    /// One customer line is one source: an IPv6 network of 64 bits, or an IPv4 address (RFC 6177).
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
