internal import GRDB
internal import SessionDomain
internal import Synchronization

/// Where a used proof may be in the table of proofs, which has them in the order in which they arrived.
///
/// The table decides: a place counts only if the proof is there. So a proof of a transaction that was rolled back may stay
/// here, and none may be missing. Other processes may write to the same file, so each transaction first reads the rows that
/// were committed since the last one. The row with the highest number is never deleted, so a number is given once.
@available(service, *)
final class ProofMemory: Sendable {
    /// The proofs of an app that expire in the same interval.
    private struct Generation {
        /// The number of the row of a key.
        var places: [Int64: Int64] = [:]
        var last: Int64 = 0
    }

    private struct State {
        /// The last row that was read, which was committed. `nil` before the first proof: commands use none.
        var read: Int64?
        /// By app, and by the interval in which they expire.
        var generations: [String: [Int64: Generation]] = [:]
    }

    private let state = Mutex(State())

    /// The interval of an expiry: 65.536 seconds.
    private static func interval(of expiry: Timestamp) -> Int64 { expiry.milliseconds >> 16 }

    /// Reads all proofs, unless that was done.
    func begin(_ db: Database) throws {
        guard state.withLock({ $0.read == nil }) else { return }
        try read(db, after: 0)
    }

    /// Reads the proofs that were committed since the last transaction. Call this at the beginning of each one.
    func update(_ db: Database) throws {
        guard let last = state.withLock(\.read) else { return }
        try read(db, after: last)
    }

    private func read(_ db: Database, after last: Int64) throws {
        try state.withLock { state in
            var place = last
            try db.forEach("SELECT sequence, key, app_id, expires_at FROM proofs WHERE sequence > ?", [last]) {
                columns in
                place = try columns.next()
                let (key, app): (Int64, String) = try (columns.next(), columns.next())
                Self.add(key, app, expiry: try columns.next(), at: place, to: &state)
            }
            state.read = place
        }
    }

    /// The rows that may have a proof. Almost always there is none.
    func places(of key: Int64, _ app: AppID) -> [Int64] {
        state.withLock { state in
            state.generations[app.rawValue]?.values.compactMap { $0.places[key] } ?? []
        }
    }

    func add(_ key: Int64, _ app: AppID, expiry: Timestamp, at place: Int64) {
        state.withLock { Self.add(key, app.rawValue, expiry: expiry, at: place, to: &$0) }
    }

    private static func add(_ key: Int64, _ app: String, expiry: Timestamp, at place: Int64, to state: inout State) {
        let interval = interval(of: expiry)
        if state.generations[app]?[interval] == nil {
            // As large as the one before, so that it does not grow while callers wait.
            var generation = Generation()
            generation.places.reserveCapacity(state.generations[app]?[interval - 1]?.places.count ?? 0)
            state.generations[app, default: [:]][interval] = generation
        }
        state.generations[app]?[interval]?.places[key] = place
        state.generations[app]?[interval]?.last = place
    }

    /// No row after this one has expired.
    func lastExpired(_ now: Timestamp) -> Int64 {
        let interval = Self.interval(of: now)
        return state.withLock { state in
            state.generations.values.joined().filter { $0.key <= interval }.map(\.value.last).max() ?? 0
        }
    }

    /// Forgets the proofs of intervals that have ended. Their rows are deleted.
    func forget(until now: Timestamp) {
        let interval = Self.interval(of: now)
        state.withLock { state in
            state.generations = state.generations.mapValues { $0.filter { $0.key >= interval } }.filter {
                !$0.value.isEmpty
            }
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
        for place in memory.places(of: key, app) {
            let used = "SELECT count(*) FROM proofs WHERE sequence = ? AND key = ? AND app_id = ? AND expires_at > ?"
            guard try count(used, [place, key, app, now]) == 0 else { throw FailedGuard.taken(.proof(proof.replayKey)) }
        }
        try run(
            "INSERT INTO proofs (key, app_id, expires_at) VALUES (?, ?, ?)", [key, app, proof.rememberUntil])
        memory.add(key, app, expiry: proof.rememberUntil, at: lastInsertedRowID)
    }

    /// Deletes expired proofs, the oldest first.
    func deleteProofs(until now: Timestamp, limit: Int, _ memory: ProofMemory) throws -> Int {
        try memory.begin(self)
        let deleted = try run(
            """
            DELETE FROM proofs WHERE sequence IN (
                SELECT sequence FROM proofs
                WHERE sequence <= ? AND sequence < (SELECT max(sequence) FROM proofs) AND expires_at <= ?
                ORDER BY sequence LIMIT ?
            )
            """, [memory.lastExpired(now), now, limit])
        if deleted < limit { memory.forget(until: now) }
        return deleted
    }
}
