internal import Synchronization

/// Rate limits by app and source address, in the memory of this process. The number of counters is bounded.
///
/// They slow down a single sender. Limits that protect a user are counted in the store, by identifier.
package final class SourceLimiter: Sendable {
    /// The longest window in seconds. `SourceCounters` forgets older counters.
    package static let maximumWindow = 3600

    /// The maximum number of counters. One needs about 130 bytes, so all need about 7 MB.
    static let standardCapacity = 50_000

    /// Each table has its own lock, so that few callers wait for each other.
    private let tables: [Table]
    private let observer: any ServiceObserver

    /// - Parameters:
    ///   - capacity: The maximum number of counters.
    ///   - tables: The tables that share them.
    package init(
        capacity: Int = SourceLimiter.standardCapacity, tables: Int = 16, observer: any ServiceObserver = NoObserver()
    ) {
        self.observer = observer
        self.tables = (0..<tables).map { _ in Table(capacity: max(2, capacity / tables)) }
    }

    /// Counts one event from an address.
    ///
    /// - Parameter app: The app whose users the limit protects. `AppID.service`: a limit of the whole service.
    /// - Throws: `Refusal.rateLimited` if the limit is exceeded.
    package func take(
        _ name: LimitName, app: AppID, source: SourceAddress, limit: RateLimit, now: Timestamp
    ) throws(Refusal) {
        if let refusal = refusal(name, app: app, source: source, limit: limit, now: now) {
            throw .rateLimited(retryAfter: refusal.until.retryAfter(from: now))
        }
    }

    /// The same for the app of `events`. The first refusal of a window is reported, and no later one: a flood from an
    /// address writes one event.
    func take(
        _ name: LimitName, for attempt: LimitedAttempt, source: SourceAddress, limit: RateLimit, now: Timestamp,
        reporting events: EventFactory, to store: any IntentStore
    ) async throws {
        guard let refusal = refusal(name, app: events.appID, source: source, limit: limit, now: now) else { return }
        if refusal.isFirst {
            try await store.perform(AppendEvents([events.sourceLimited(name, attempt, until: refusal.until)]))
        }
        throw Refusal.rateLimited(retryAfter: refusal.until.retryAfter(from: now))
    }

    private func refusal(
        _ name: LimitName, app: AppID, source: SourceAddress, limit: RateLimit, now: Timestamp
    ) -> (until: Timestamp, isFirst: Bool)? {
        guard !source.isExempt else { return nil }
        for network in source.networks {
            let key = SourceCounters.Key(app: app, limit: name, network: network.key)
            let refusal = table(of: key).refusal(key, limit: limit.widened(by: network.widening), now: now)
            if let refusal {
                observer.observe(.limitReached(name))
                return refusal
            }
        }
        return nil
    }

    /// The number of counters in memory.
    package var count: Int { tables.reduce(0) { $0 + $1.count } }

    /// The hash has a random seed per process, so a sender cannot choose addresses that share a table.
    private func table(of key: SourceCounters.Key) -> Table {
        tables[Int(UInt(bitPattern: key.hashValue) % UInt(tables.count))]
    }

    private final class Table: Sendable {
        private let counters: Mutex<SourceCounters>

        init(capacity: Int) { counters = Mutex(SourceCounters(capacity: capacity)) }

        var count: Int { counters.withLock(\.count) }

        func refusal(
            _ key: SourceCounters.Key, limit: RateLimit, now: Timestamp
        ) -> (until: Timestamp, isFirst: Bool)? {
            let (refusal, dropped) = counters.withLock { counters in
                let (decision, dropped) = counters.take(key, limit: limit, now: now)
                guard case .refused(let until) = decision else { return (nil as (Timestamp, Bool)?, dropped) }
                return ((until, counters.isFirstRefusal(of: key, limit: limit)), dropped)
            }
            // Memory of forgotten counters is released here, after the lock.
            _ = dropped
            return refusal
        }
    }
}

/// Counters in two generations. Nothing is searched to make room: the older generation is dropped as a whole.
///
/// A counter that is used moves to the younger generation. A generation ends after an hour, or when it is half of the
/// capacity. After an hour, all windows in the older one have ended, so nothing is lost. When it is full, the counters
/// that were used least recently are lost.
struct SourceCounters {
    struct Key: Hashable, Sendable {
        let app: AppID
        let limit: LimitName
        let network: SourceNetwork.Key
    }

    typealias Generation = [Key: RateCounter]

    private let capacity: Int
    private var younger: Generation = [:]
    private var older: Generation = [:]
    /// When the younger generation ends.
    private var endsAt: Timestamp?

    init(capacity: Int) { self.capacity = capacity }

    /// The number of counters, at most the capacity.
    var count: Int { younger.count + older.count }

    /// Counts one event.
    ///
    /// - Returns: The decision, and the generation that was dropped, if any.
    mutating func take(_ key: Key, limit: RateLimit, now: Timestamp) -> (RateDecision, dropped: Generation?) {
        let dropped = endGeneration(now: now)
        let current = younger[key] ?? older.removeValue(forKey: key)
        let decision = RateCounter.take(current, limit: limit, now: now)
        switch decision {
        case .allowed(let counter): younger[key] = counter
        case .refused: younger[key] = current
        }
        return (decision, dropped)
    }

    /// Whether a refused counter is refused for the first time in its window. A later call returns `false`.
    mutating func isFirstRefusal(of key: Key, limit: RateLimit) -> Bool {
        guard let current = younger[key], current.count == limit.limit else { return false }
        younger[key]?.count += 1
        return true
    }

    private mutating func endGeneration(now: Timestamp) -> Generation? {
        let isOver = endsAt.map { $0 <= now } ?? true
        guard isOver || younger.count >= capacity / 2 else { return nil }
        let dropped = older
        older = younger
        younger = [:]
        endsAt = now + SourceLimiter.maximumWindow
        return dropped
    }
}
