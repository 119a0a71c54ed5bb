internal import GRDB
internal import SessionDomain
internal import Synchronization

/// Where a used proof may be in the table of proofs, which has them in the order in which they arrived.
///
/// The table decides: a place counts only if the proof is there. So a proof of a transaction that was rolled back may stay
/// here, and no committed one that has not expired may be missing. Other processes may write to the same file, so each
/// transaction first reads the rows after the last one that was read.
@available(service, *)
final class ProofMemory: Sendable {
    private struct Row: Equatable {
        let place: Int64
        let key: Int64
    }

    private struct State {
        /// The last row that was read. `nil` before the first proof: commands use none.
        var read: Row?
        /// The place of each key, by app and by the interval in which the proof expires.
        var places: [String: [Int64: [Int64: Int64]]] = [:]
        /// The last place in each interval.
        var lasts: [Int64: Int64] = [:]
        /// The places of earlier intervals were forgotten.
        var firstInterval = Int64.min
    }

    private let state = Mutex(State())

    /// 65.536 seconds.
    private static func interval(of time: Timestamp) -> Int64 { time.milliseconds >> 16 }

    /// Reads all proofs, unless that was done.
    func begin(_ db: Database) throws {
        try state.withLock { if $0.read == nil { try Self.readAll(db, into: &$0) } }
    }

    /// Reads the proofs that were committed since the last transaction. Call this at the beginning of each one.
    ///
    /// A number is given again if its row, and all later ones, were rolled back or deleted. Then the last row that was read is
    /// not there, and all are read.
    func update(_ db: Database) throws {
        try state.withLock { state in
            guard let last = state.read else { return }
            var isThere = last.place == 0
            try Self.read(db, from: last.place, into: &state) { if $0 == last { isThere = true } }
            if !isThere { try Self.readAll(db, into: &state) }
        }
    }

    private static func readAll(_ db: Database, into state: inout State) throws {
        state.read = nil
        try read(db, from: 0, into: &state) { _ in }
        if state.read == nil { state.read = Row(place: 0, key: 0) }
    }

    private static func read(
        _ db: Database, from place: Int64, into state: inout State, _ found: (Row) -> Void
    ) throws {
        let rows = "SELECT sequence, key, app_id, expires_at FROM proofs WHERE sequence >= ? ORDER BY sequence"
        try db.forEach(rows, [place]) { columns in
            let row = Row(place: try columns.next(), key: try columns.next())
            let app: String = try columns.next()
            add(row, app, expiry: try columns.next(), to: &state)
            state.read = row
            found(row)
        }
    }

    /// The rows that may have a proof. Almost always there is none.
    ///
    /// Proofs that expired more than an interval ago are forgotten, because they can be used again. If the clock goes back
    /// behind them, all are read again.
    func places(of key: Int64, _ app: AppID, now: Timestamp, _ db: Database) throws -> [Int64] {
        let interval = Self.interval(of: now)
        return try state.withLock { state in
            if interval < state.firstInterval {
                state.firstInterval = .min
                try Self.readAll(db, into: &state)
            }
            if interval - 1 > state.firstInterval {
                state.firstInterval = interval - 1
                state.places = state.places.mapValues { $0.filter { $0.key >= interval - 1 } }.filter {
                    !$0.value.isEmpty
                }
            }
            return state.places[app.rawValue]?.values.compactMap { $0[key] } ?? []
        }
    }

    func add(_ key: Int64, _ app: AppID, expiry: Timestamp, at place: Int64) {
        state.withLock { Self.add(Row(place: place, key: key), app.rawValue, expiry: expiry, to: &$0) }
    }

    private static func add(_ row: Row, _ app: String, expiry: Timestamp, to state: inout State) {
        let interval = interval(of: expiry)
        state.lasts[interval] = max(row.place, state.lasts[interval] ?? 0)
        guard interval >= state.firstInterval else { return }
        if state.places[app]?[interval] == nil {
            // As large as the one before, so that it does not grow while callers wait.
            let count = state.places[app]?[interval - 1]?.count ?? 0
            state.places[app, default: [:]][interval] = Dictionary(minimumCapacity: count)
        }
        state.places[app]?[interval]?[row.key] = row.place
    }

    /// No row after this place has expired.
    func lastExpired(_ now: Timestamp) -> Int64 {
        let interval = Self.interval(of: now)
        return state.withLock { state in
            let expired = state.lasts.filter { $0.key <= interval }
            guard let first = expired.keys.min(), let last = expired.values.max() else { return 0 }
            // Remembered as one, also if the deletion is rolled back.
            for key in expired.keys { state.lasts[key] = nil }
            state.lasts[first] = last
            return last
        }
    }
}

@available(service, *)
extension Database {
    /// Uses a proof.
    ///
    /// - Throws: `FailedGuard` if it is used.
    func reserve(_ proof: ProofUse, app: AppID, now: Timestamp, _ memory: ProofMemory) throws {
        try memory.begin(self)
        let key = proof.shortKey
        for place in try memory.places(of: key, app, now: now, self) {
            let used = "SELECT count(*) FROM proofs WHERE sequence = ? AND key = ? AND app_id = ? AND expires_at > ?"
            guard try count(used, [place, key, app, now]) == 0 else { throw FailedGuard.taken(.proof(proof.replayKey)) }
        }
        try run("INSERT INTO proofs (key, app_id, expires_at) VALUES (?, ?, ?)", [key, app, proof.rememberUntil])
        memory.add(key, app, expiry: proof.rememberUntil, at: lastInsertedRowID)
    }

    /// Deletes expired proofs, the oldest first.
    ///
    /// The last row stays. Other processes find it, and read only what comes after it.
    func deleteProofs(until now: Timestamp, limit: Int, _ memory: ProofMemory) throws -> Int {
        try memory.begin(self)
        return try run(
            """
            DELETE FROM proofs WHERE sequence IN (
                SELECT sequence FROM proofs
                WHERE sequence <= ? AND sequence < (SELECT max(sequence) FROM proofs) AND expires_at <= ?
                ORDER BY sequence LIMIT ?
            )
            """, [memory.lastExpired(now), now, limit])
    }
}
