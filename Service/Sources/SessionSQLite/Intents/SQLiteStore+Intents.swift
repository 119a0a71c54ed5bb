internal import GRDB
package import SessionDomain
internal import SessionSQL

extension SQLiteStore: IntentStore {
    /// Runs an intent in a shared transaction. What it wrote is undone if it fails, or if it must decide again.
    ///
    /// The transaction holds the write lock before it reads. So no row changes between reading and writing, and guards fail
    /// only where a key is taken or a counter is at its limit.
    package func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        try await observer.trace(.intent(I.self)) { _ in try await decided(intent) }
    }

    private func decided<I: Intent>(_ intent: I) async throws -> I.Outcome {
        let (outcome, occurrences) = try await writer.perform { [writer] db in
            var failures = GuardFailures()
            for _ in 0..<GuardFailures.maximumAttempts {
                var counters = JobCounters()
                var found = try db.found(intent.reads.query, &counters)
                found.failures.add(failures)
                let decision = try intent.decide(found)
                do {
                    for change in decision.changes { try db.apply(change, &counters) }
                    try counters.write(to: db)
                    let answer = (decision.outcome, decision.occurrences)
                    return decision.isCommitted ? .keep(answer) : .undo(answer)
                } catch let failure as FailedGuard {
                    failures.add(failure)
                    try writer.undoJob(in: db)
                }
            }
            throw StoreError.contended
        }
        // On the task of the caller, so that an observer knows the request.
        for occurrence in occurrences { observer.observe(occurrence) }
        return outcome
    }
}

extension Database {
    /// Makes one change. Counters are changed in memory.
    ///
    /// - Throws: `FailedGuard` if the guard of the change fails.
    func apply(_ change: Change, _ counters: inout JobCounters) throws {
        switch change {
        case .reserveProof(let proof, let app, let now): try reserve(proof, app: app, now: now)
        case .redeem(let id, let until, let app): try redeem(id, until: until, app: app)
        case .count(let key, let app, let limit, let now):
            try counters.count(key, app: app, limit: limit, now: now, in: self)
        case .uncount(let key, let app): try counters.uncount(key, app: app, in: self)
        case .clearCounter(let key, let app), .endMark(let key, let app): try counters.clear(key, app: app, in: self)
        default:
            if case .clearCounters = change { try counters.write(to: self) }
            for statement in try change.statements(WriteOrder(.sqlite, position: 0)) ?? [] { try run(statement) }
        }
    }
}

/// The counters of one job: read once, and written at its end if they have changed.
///
/// No other job changes them meanwhile, because the transaction holds the write lock. A success counts its own attempt and
/// then clears the counters of failures, so a login with the right code writes none of these.
struct JobCounters {
    private struct Entry {
        let key: CounterKey
        let app: AppID
        let stored: RateCounter?
        var counter: RateCounter?
    }

    private var entries: [Entry] = []

    /// The time until which a counter is at its limit; `nil` if it is not.
    mutating func limit(of counter: FactQuery.CounterSelector, app: AppID, in db: Database) throws -> Timestamp? {
        let current = entries[try place(of: counter.key, app, in: db)].counter
        guard case .refused(let until) = RateCounter.take(current, limit: counter.limit, now: counter.now) else {
            return nil
        }
        return until
    }

    /// Counts one event, if `RateCounter.take` allows it.
    mutating func count(_ key: CounterKey, app: AppID, limit: RateLimit, now: Timestamp, in db: Database) throws {
        let place = try place(of: key, app, in: db)
        switch RateCounter.take(entries[place].counter, limit: limit, now: now) {
        case .refused(let until): throw FailedGuard.exhausted(key, until: until)
        case .allowed(let next): entries[place].counter = next
        }
    }

    /// Takes one event back. A counter without events has no row.
    mutating func uncount(_ key: CounterKey, app: AppID, in db: Database) throws {
        let place = try place(of: key, app, in: db)
        guard let counter = entries[place].counter else { return }
        entries[place].counter =
            counter.count > 1 ? RateCounter(count: counter.count - 1, resetsAt: counter.resetsAt) : nil
    }

    mutating func clear(_ key: CounterKey, app: AppID, in db: Database) throws {
        if let place = knownPlace(of: key, app) { entries[place].counter = nil } else { try db.delete(key, app: app) }
    }

    /// Writes what has changed.
    mutating func write(to db: Database) throws {
        for entry in entries where entry.counter != entry.stored {
            if let counter = entry.counter {
                try db.write(counter, over: entry.stored, key: entry.key, app: entry.app)
            } else {
                try db.delete(entry.key, app: entry.app)
            }
        }
        entries = []
    }

    private func knownPlace(of key: CounterKey, _ app: AppID) -> Int? {
        entries.firstIndex { $0.key == key && $0.app == app }
    }

    /// The place of a counter, which is read if it is not known.
    private mutating func place(of key: CounterKey, _ app: AppID, in db: Database) throws -> Int {
        if let place = knownPlace(of: key, app) { return place }
        let stored = try db.counter(key, app: app)
        entries.append(Entry(key: key, app: app, stored: stored, counter: stored))
        return entries.count - 1
    }
}

extension Database {
    fileprivate func counter(_ key: CounterKey, app: AppID) throws -> RateCounter? {
        let statement = key.reading(app: app)
        return try first(statement.sql, statement.values, as: StoredCounter.init(reading:))?.counter
    }

    fileprivate func write(_ counter: RateCounter, over stored: RateCounter?, key: CounterKey, app: AppID) throws {
        // Without the time, SQLite leaves the index of the times as it is.
        if counter.resetsAt == stored?.resetsAt {
            try run("UPDATE counters SET count = ? WHERE app_id = ? AND key = ?", [counter.count, app, key.text])
        } else {
            try run(
                """
                INSERT INTO counters (app_id, key, count, resets_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (app_id, key) DO UPDATE SET count = excluded.count, resets_at = excluded.resets_at
                """, [app, key.text, counter.count, counter.resetsAt])
        }
    }

    fileprivate func delete(_ key: CounterKey, app: AppID) throws {
        try run("DELETE FROM counters WHERE app_id = ? AND key = ?", [app, key.text])
    }
}

extension Database {
    /// Uses a proof.
    ///
    /// - Throws: `FailedGuard` if it is used.
    func reserve(_ proof: ProofUse, app: AppID, now: Timestamp) throws {
        try run(
            """
            INSERT INTO proofs (key, app_id, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (key, app_id) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?
            """, [proof.shortKey, app, proof.rememberUntil, now], orFail: .taken(.proof(proof.replayKey)))
    }

    /// Deletes the expired ones among the next proofs in the order of their keys. There is no index by expiry: it would change
    /// a second page for each proof. Keys are hashes, so each part of the table has its share of those that have expired.
    ///
    /// - Parameters:
    ///   - key: Where to begin. `nil`: at the first proof.
    ///   - limit: How many proofs are deleted at most. Eight times as many are read.
    /// - Returns: The number of proofs that were deleted, and where to go on.
    func deleteProofs(until now: Timestamp, from key: Int64?, limit: Int) throws -> (deleted: Int, next: Int64?) {
        let first = key ?? .min
        let next: Int64? = try self.first(
            "SELECT key FROM proofs WHERE key >= ? ORDER BY key LIMIT 1 OFFSET ?", [first, 8 * limit]
        ) { try $0.next() }
        let deleted = try run(
            """
            DELETE FROM proofs WHERE (key, app_id) IN (
                SELECT key, app_id FROM proofs WHERE key >= ? AND key <= ? AND expires_at <= ? ORDER BY key LIMIT ?
            )
            """, [first, next ?? .max, now, limit])
        return (deleted, deleted < limit ? next : key)
    }
}

/// What can be redeemed once. The insert is the check; no look-up comes before it.
extension Database {
    func redeem(_ id: String, until expiresAt: Timestamp, app: AppID) throws {
        let kind = RedemptionKind(key: id).rawValue
        try run(
            """
            INSERT INTO redeemed_challenges (app_id, challenge_id, kind, expires_at) SELECT ?, ?, ?, ?
            WHERE NOT EXISTS (
                SELECT 1 FROM deleted_redemptions WHERE app_id = ? AND kind = ? AND expiry_hour = ? AND last_expiry >= ?
            )
            ON CONFLICT (app_id, challenge_id) DO NOTHING
            """, [app, id, kind, expiresAt, app, kind, expiresAt.hour, expiresAt],
            orFail: .taken(.redemption(id)))
    }

    /// Deletes the redemptions that expired first, and remembers for each app, kind and hour how far they are deleted.
    ///
    /// The expiry of each deleted row is at most the one remembered for its hour. So `redeem` rejects what may have been
    /// deleted, whatever the clock says. An hour of its own keeps the effect small: rows that a wrong clock wrote years
    /// ahead say nothing about the logins of today. A kind of its own, too: challenges of logins live minutes, so no login
    /// is rejected longer, whatever else was deleted.
    func deleteRedemptions(until now: Timestamp, limit: Int) throws -> Int {
        let oldest = "FROM redeemed_challenges WHERE expires_at <= ? ORDER BY expires_at, app_id, challenge_id LIMIT ?"
        for kind in RedemptionKind.allCases where kind.outlivesItsRow {
            try run(
                """
                INSERT INTO deleted_redemptions (app_id, kind, expiry_hour, last_expiry)
                SELECT app_id, kind, expires_at / \(Timestamp.hour), max(expires_at)
                FROM (SELECT app_id, kind, expires_at \(oldest))
                WHERE kind = ? GROUP BY 1, 2, 3
                ON CONFLICT (app_id, kind, expiry_hour)
                DO UPDATE SET last_expiry = max(last_expiry, excluded.last_expiry)
                """, [now, limit, kind.rawValue])
        }
        return try run(
            """
            DELETE FROM redeemed_challenges
            WHERE (app_id, challenge_id) IN (SELECT app_id, challenge_id \(oldest))
            """, [now, limit])
    }
}
