internal import GRDB
internal import SessionDomain

extension Database {
    private func counter(_ key: CounterKey, app: AppID) throws -> RateCounter? {
        try first("SELECT count, resets_at FROM counters WHERE app_id = ? AND key = ?", [app, key.text]) {
            RateCounter(count: try $0.next(), resetsAt: try $0.next())
        }
    }

    /// The time until which a counter is at its limit; `nil` if it is not.
    func limit(of counter: FactQuery.CounterSelector, app: AppID) throws -> Timestamp? {
        let current = try self.counter(counter.key, app: app)
        guard case .refused(let until) = RateCounter.take(current, limit: counter.limit, now: counter.now) else {
            return nil
        }
        return until
    }

    /// Counts one event, if `RateCounter.take` allows it.
    func count(_ key: CounterKey, app: AppID, limit: RateLimit, now: Timestamp) throws {
        switch RateCounter.take(try counter(key, app: app), limit: limit, now: now) {
        case .refused(let until): throw FailedGuard.exhausted(key, until: until)
        case .allowed(let next):
            try run(
                """
                INSERT INTO counters (app_id, key, count, resets_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (app_id, key) DO UPDATE SET count = excluded.count, resets_at = excluded.resets_at
                """, [app, key.text, next.count, next.resetsAt])
        }
    }

    /// Takes one event back. A counter without events has no row.
    func uncount(_ key: CounterKey, app: AppID) throws {
        try run("DELETE FROM counters WHERE app_id = ? AND key = ? AND count = 1", [app, key.text])
        try run("UPDATE counters SET count = count - 1 WHERE app_id = ? AND key = ? AND count > 1", [app, key.text])
    }

    func clear(_ key: CounterKey, app: AppID) throws {
        try run("DELETE FROM counters WHERE app_id = ? AND key = ?", [app, key.text])
    }

    /// Reads the keys in their order, so that the counters of other users cost nothing.
    func clearCounters(ofUser userID: String, app: AppID) throws {
        for prefix in CounterKey.prefixes(ofUser: userID) {
            try run(
                "DELETE FROM counters WHERE app_id = ? AND key >= ? AND key < ?", [app, prefix, prefix + "\u{10FFFF}"])
        }
    }
}
