internal import SessionDomain
internal import SessionSQL

extension Change {
    /// The statements of one change, with its guard.
    ///
    /// - Parameter position: The place of the change in its transaction.
    func statements(at position: Int) throws -> [Statement] {
        switch self {
        case .reserveProof(let proof, let app, let now): return [ReplayMemory.reserve(proof, app: app, now: now)]
        case .redeem(let id, let until, let app): return ReplayMemory.redeem(id, until: until, app: app)
        case .count(let key, let app, let limit, let now):
            return [FactQuery.CounterSelector(key, limit: limit, now: now).counting(app: app)]
        case .uncount(let key, let app): return key.uncounting(app: app)
        case .clearCounter(let key, let app): return [key.clearing(app: app)]
        case .endMark(let key, let app): return [key.ending(app: app)]
        default: return try statements(WriteOrder(.postgres, position: position)) ?? []
        }
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
}

/// What can be used once. The insert is the check; no look-up comes before it.
enum ReplayMemory {
    static func reserve(_ proof: ProofUse, app: AppID, now: Timestamp) -> Statement {
        .guarded(
            """
            INSERT INTO proofs (app_id, replay_key, expires_at) SELECT $1, $2, $3::bigint
            WHERE NOT EXISTS (SELECT 1 FROM copied_proofs WHERE app_id = $1 AND key = $5 AND expires_at > $4)
            ON CONFLICT (app_id, replay_key) DO UPDATE SET expires_at = excluded.expires_at
            WHERE proofs.expires_at <= $4
            """, [app, proof.replayKey, proof.rememberUntil, now, proof.shortKey],
            orFail: .taken(.proof(proof.replayKey)))
    }

    /// Remembers a redemption, and then checks that it was not deleted. In this order, because the insert waits for a deletion
    /// that runs now, and only a later statement sees what that one has remembered.
    static func redeem(_ id: String, until expiresAt: Timestamp, app: AppID) -> [Statement] {
        let kind = RedemptionKind(key: id).rawValue
        return [
            .guarded(
                """
                INSERT INTO redemptions (app_id, id, kind, expires_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (app_id, id) DO NOTHING
                """, [app, id, kind, expiresAt], orFail: .taken(.redemption(id))),
            .expecting(
                """
                SELECT 1 WHERE NOT EXISTS (
                    SELECT 1 FROM deleted_redemptions
                    WHERE app_id = $1 AND kind = $2 AND expiry_hour = $3 AND last_expiry >= $4)
                """, [app, kind, expiresAt.hour, expiresAt], orFail: .taken(.redemption(id))),
        ]
    }

    /// Deletes the redemptions that expired first, and remembers for each app, kind and hour how far they are deleted.
    ///
    /// The expiry of each deleted row is at most the one remembered for its hour. So `redeem` rejects what may have been
    /// deleted, whatever the clock says. One statement deletes the rows and remembers the same ones, because another node may
    /// delete at the same time.
    static func deletion(until now: Timestamp, limit: Int) -> Statement {
        let kinds = RedemptionKind.allCases.filter(\.outlivesItsRow).map { "'\($0.rawValue)'" }
        return Statement(
            """
            WITH chosen AS MATERIALIZED (
                SELECT app_id, id FROM redemptions WHERE expires_at <= $1
                ORDER BY expires_at, app_id, id LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ), deleted AS (
                DELETE FROM redemptions WHERE (app_id, id) IN (SELECT app_id, id FROM chosen)
                RETURNING app_id, kind, expires_at
            ), remembered AS (
                INSERT INTO deleted_redemptions (app_id, kind, expiry_hour, last_expiry)
                SELECT app_id, kind, expires_at / \(Timestamp.hour), max(expires_at) FROM deleted
                WHERE kind IN (\(kinds.joined(separator: ", "))) GROUP BY 1, 2, 3
                ON CONFLICT (app_id, kind, expiry_hour) DO UPDATE
                SET last_expiry = greatest(deleted_redemptions.last_expiry, excluded.last_expiry)
            )
            SELECT count(*) FROM deleted
            """, [now])
    }
}
