internal import GRDB
internal import SessionDomain

extension Database {
    /// Counts one event, if the limit allows it; counting and deciding are one step.
    func take(_ key: CounterKey, app: AppID, limit: RateLimit, now: Timestamp) throws -> RateDecision {
        let current = try first(
            "SELECT count, resets_at FROM counters WHERE app_id = ? AND key = ?", [app, key.text]
        ) { RateCounter(count: try $0.next(), resetsAt: try $0.next()) }
        let decision = RateCounter.take(current, limit: limit, now: now)
        if case .allowed(let next) = decision {
            try run(
                """
                INSERT INTO counters (app_id, key, count, resets_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (app_id, key) DO UPDATE SET count = excluded.count, resets_at = excluded.resets_at
                """, [app, key.text, next.count, next.resetsAt])
        }
        return decision
    }

    func clear(_ key: CounterKey, app: AppID) throws {
        try run("DELETE FROM counters WHERE app_id = ? AND key = ?", [app, key.text])
    }
}
