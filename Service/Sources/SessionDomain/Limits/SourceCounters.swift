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
