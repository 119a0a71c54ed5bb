internal import SessionDomain

extension RateCounter {
    static let columns = "counters.key, counters.count, counters.resets_at"

    init(reading columns: inout ColumnReader) throws {
        self.init(count: try columns.next(), resetsAt: try columns.next())
    }
}

extension StoredCounter {
    static let columns = RateCounter.columns

    init(reading columns: inout ColumnReader) throws {
        self.init(
            key: try columns.next(), counter: RateCounter(count: try columns.next(), resetsAt: try columns.next()))
    }
}

extension FactQuery.CounterSelector {
    /// Counts one event, if `RateCounter.take` allows it.
    ///
    /// The server decides: callers in parallel wait for the row, and each then sees the count of those before it. Times and
    /// pauses come from `RateLimit`. A limit that allows nothing counts nothing.
    func counting(app: AppID) -> Statement {
        if let refill = limit.refill {
            return .guarded(
                Self.refilling,
                [app, key.text, now, now + limit.window, limit.limit, limit.window, refill],
                orFail: .exhausted(key, until: now))
        }
        let pauses = limit.isStreak ? (0..<max(limit.limit, 0)).map { String(RateLimit.pause(after: $0) * 1000) } : nil
        return .guarded(
            Self.counting,
            [
                app, key.text, now, now + limit.window, limit.limit, limit.window * 1000,
                pauses.map { "{" + $0.joined(separator: ",") + "}" },
            ], orFail: .exhausted(key, until: now))
    }

    /// As `RateCounter.take` decides, in milliseconds.
    private static let isRunning = """
        counters.resets_at > $3
            AND counters.resets_at <= greatest($4::bigint + 3600000, $3 + \(RateCounter.latestEnd * 1000))
        """

    /// `$3` is the time, `$4` the end of a window that begins now, `$6` its length, `$7` the pause before the next event by
    /// the number of events. Arrays begin with 1.
    private static let counting = """
        INSERT INTO counters (app_id, key, count, resets_at) SELECT $1, $2, 1, $4::bigint WHERE $5::bigint > 0
        ON CONFLICT (app_id, key) DO UPDATE SET
            count = CASE WHEN \(isRunning) THEN counters.count + 1 ELSE 1 END,
            resets_at = CASE
                WHEN NOT (\(isRunning)) THEN $4
                WHEN $7::bigint[] IS NULL THEN counters.resets_at
                ELSE greatest(counters.resets_at, $4) END
        WHERE NOT (\(isRunning)) OR (counters.count < $5 AND ($7 IS NULL OR ($7)[counters.count + 1] = 0
            OR counters.resets_at - $6 + ($7)[counters.count + 1] <= $3))
        """
}

extension FactQuery.CounterSelector {
    /// As `RateCounter.take` for a limit with a refill. `$6` is the window in seconds, `$7` the refill.
    private static let refilling = """
        INSERT INTO counters (app_id, key, count, resets_at) SELECT $1, $2, $6::bigint, $4::bigint WHERE $5::bigint > 0
        ON CONFLICT (app_id, key) DO UPDATE SET
            count = (\(level)) + $6,
            resets_at = CASE WHEN \(isRunning) THEN greatest($4, counters.resets_at) ELSE $4 END
        WHERE (\(level)) + $6 <= $5 * $6
        """

    /// The units that are left at the time of the call.
    private static let level = """
        CASE WHEN NOT (\(isRunning)) THEN 0 ELSE
            greatest(0, counters.count - $7::bigint * greatest($3 - counters.resets_at + $6 * 1000, 0) / 1000) END
        """
}

extension CounterKey {
    func reading(app: AppID) -> Statement {
        Statement("SELECT \(RateCounter.columns) FROM counters WHERE app_id = $1 AND key = $2", [app, text])
    }

    /// Reads some counters, and all of a user's devices and sessions, in the order of their keys.
    static func reading(_ keys: [CounterKey], ofUser userID: String, app: AppID) -> [Statement] {
        let columns = "SELECT \(StoredCounter.columns) FROM counters WHERE app_id = $1"
        let named = Statement(columns + " AND key = ANY ($2::text[])", [app, TextArray(keys.map(\.text))])
        return [named]
            + prefixes(ofUser: userID).map { prefix in
                Statement(columns + " AND key >= $2 AND key < $3", [app, prefix, prefix + "\u{10FFFF}"])
            }
    }

    /// Takes one event back. A counter without events has no row.
    ///
    /// The lock comes first. Without it, a caller that waits for another one sees the count before that one in the first change
    /// and the count after it in the second, and neither changes the row.
    func uncounting(app: AppID) -> [Statement] {
        [
            Statement("SELECT count FROM counters WHERE app_id = $1 AND key = $2 FOR UPDATE", [app, text]),
            Statement("DELETE FROM counters WHERE app_id = $1 AND key = $2 AND count = 1", [app, text]),
            Statement(
                "UPDATE counters SET count = count - 1 WHERE app_id = $1 AND key = $2 AND count > 1", [app, text]),
        ]
    }

    func clearing(app: AppID) -> Statement {
        Statement("DELETE FROM counters WHERE app_id = $1 AND key = $2", [app, text])
    }

    /// A deletion that only one of several callers makes.
    func ending(app: AppID) -> Statement {
        .guarded("DELETE FROM counters WHERE app_id = $1 AND key = $2", [app, text], orFail: .stale)
    }

    /// Reads the keys in their order, so that the counters of other users cost nothing.
    static func clearing(_ prefixes: [String], app: AppID) -> [Statement] {
        prefixes.map { prefix in
            Statement(
                "DELETE FROM counters WHERE app_id = $1 AND key >= $2 AND key < $3",
                [app, prefix, prefix + "\u{10FFFF}"])
        }
    }
}
