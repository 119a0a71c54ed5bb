internal import GRDB
internal import SessionDomain

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
        try first("SELECT count, resets_at FROM counters WHERE app_id = ? AND key = ?", [app, key.text]) {
            RateCounter(count: try $0.next(), resetsAt: try $0.next())
        }
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
