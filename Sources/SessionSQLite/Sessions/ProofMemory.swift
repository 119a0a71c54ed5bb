internal import GRDB
internal import SessionDomain
internal import Synchronization

/// Where a used proof may be in the table of proofs, which has them in the order in which they arrived.
///
/// The table decides: a place counts only if the proof is there. So a proof of a transaction that was rolled back may stay
/// here, and no committed one that has not expired may be missing. Other processes may write to the same file, so each
/// transaction first reads the rows after the last one that was read.
///
/// A proof must be remembered for longer than an interval. Then its key has one row in an interval.
@available(service, *)
final class ProofMemory: Sendable {
    private struct Row: Equatable {
        let place: Int64
        let key: Int64
    }

    private struct State {
        /// Whether the proofs were read. Commands use none.
        var hasBegun = false
        /// The last row that was read, which was committed. `nil` if there was none.
        var last: Row?
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
        try state.withLock { if !$0.hasBegun { try Self.begin(db, &$0) } }
    }

    /// Reads the proofs that were committed since the last transaction. Call this at the beginning of each one.
    ///
    /// A number is given again if its row, and all later ones, were rolled back or deleted. Then the last row that was read is
    /// not there, and all are read.
    func update(_ db: Database) throws {
        try state.withLock { state in
            guard state.hasBegun else { return }
            var isThere = state.last == nil
            let known = state.last
            let last = try Self.read(db, from: known?.place ?? .min, &state) { if $0 == known { isThere = true } }
            if isThere { state.last = last } else { try Self.begin(db, &state) }
        }
    }

    /// No row of the running transaction is among those that this reads: the first use of a proof comes after it.
    private static func begin(_ db: Database, _ state: inout State) throws {
        let firstInterval = state.firstInterval
        state = State()
        state.firstInterval = firstInterval
        state.last = try read(db, from: .min, &state) { _ in }
        state.hasBegun = true
    }

    /// - Returns: The last row. `nil` if there is none.
    private static func read(
        _ db: Database, from place: Int64, _ state: inout State, _ found: (Row) -> Void
    ) throws -> Row? {
        let rows = "SELECT sequence, key, app_id, expires_at FROM proofs WHERE sequence >= ? ORDER BY sequence"
        var last: Row?
        try db.forEach(rows, [place]) { columns in
            let row = Row(place: try columns.next(), key: try columns.next())
            let app: String = try columns.next()
            add(row, app, expiry: try columns.next(), to: &state)
            last = row
            found(row)
        }
        return last
    }

    /// The rows that may have a proof. Almost always there is none.
    ///
    /// If the clock goes back behind proofs that were forgotten, all are read again.
    func places(of key: Int64, _ app: AppID, now: Timestamp, _ db: Database) throws -> [Int64] {
        let interval = Self.interval(of: now)
        return try state.withLock { state in
            if interval < state.firstInterval {
                let firstInterval = state.firstInterval
                state.firstInterval = .min
                do {
                    _ = try Self.read(db, from: .min, &state) { _ in }
                } catch {
                    state.firstInterval = firstInterval
                    throw error
                }
            }
            Self.forget(before: interval - 1, &state)
            return state.places[app.rawValue]?.values.compactMap { $0[key] } ?? []
        }
    }

    /// Forgets proofs that expired more than an interval ago: they can be used again.
    private static func forget(before interval: Int64, _ state: inout State) {
        guard interval > state.firstInterval else { return }
        state.firstInterval = interval
        state.places = state.places.mapValues { $0.filter { $0.key >= interval } }.filter { !$0.value.isEmpty }
    }

    /// How many proofs are in memory.
    var count: Int { state.withLock { $0.places.values.joined().reduce(0) { $0 + $1.value.count } } }

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
            // A process that gets no proofs reads those of the others.
            Self.forget(before: interval - 1, &state)
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
