internal import GRDB
internal import SessionDomain

extension Database {
    /// Those of some counters that exist, and all counters of a user's devices and sessions.
    func counters(_ keys: [CounterKey], ofUser userID: String, app: AppID) throws -> [StoredCounter] {
        let columns = "SELECT key, count, resets_at FROM counters WHERE app_id = ?"
        let named = try keys.compactMap { key in
            try first(columns + " AND key = ?", [app, key.text], as: StoredCounter.init(reading:))
        }
        let owned = try CounterKey.prefixes(ofUser: userID).flatMap { prefix in
            try all(
                columns + " AND key >= ? AND key < ?", [app, prefix, prefix + "\u{10FFFF}"],
                as: StoredCounter.init(reading:))
        }
        return named + owned
    }

    /// Reads the keys in their order, so that the counters of other users cost nothing.
    func clearCounters(_ prefixes: [String], app: AppID) throws {
        for prefix in prefixes {
            try run(
                "DELETE FROM counters WHERE app_id = ? AND key >= ? AND key < ?", [app, prefix, prefix + "\u{10FFFF}"])
        }
    }
}

extension StoredCounter {
    init(reading columns: inout ColumnReader) throws {
        self.init(
            key: try columns.next(), counter: RateCounter(count: try columns.next(), resetsAt: try columns.next()))
    }
}
