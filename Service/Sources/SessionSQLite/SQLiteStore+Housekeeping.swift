internal import GRDB
package import SessionDomain
internal import Synchronization

extension SQLiteStore: HousekeepingStore {
    /// The tables whose rows expire, with their key and the column of the time.
    private static let expiring = [
        (table: "challenges", key: "app_id, id", expiry: "expires_at"),
        (table: "grants", key: "app_id, id", expiry: "expires_at"),
        (table: "counters", key: "app_id, key", expiry: "resets_at"),
    ]

    package func deleteExpired(now: Timestamp, limit: Int) async throws -> Int {
        try await writer.perform { [self] db in
            var deleted = try db.deleteRedemptions(until: now, limit: limit)
            deleted += try nextProof.withLock { next in
                let result = try db.deleteProofs(until: now, from: next, limit: limit)
                next = result.next
                return result.deleted
            }
            for (table, key, expiry) in Self.expiring {
                deleted += try db.delete(from: table, key: key, where: "\(expiry) <= ?", now, limit: limit)
            }
            deleted += try db.delete(
                from: "verifications", key: "app_id, token_hash", where: "code_expires_at <= ?",
                now - Retention.expiredCodes, limit: limit)
            deleted += try db.delete(
                from: "sessions", key: "app_id, id", where: "purge_hour <= ?", now.milliseconds / Timestamp.hour,
                limit: limit)
            deleted += try db.delete(
                from: "messages", key: "sequence", where: "status <> 'pending' AND expires_at <= ?", now, limit: limit)
            return .keep(deleted)
        }
    }
}

extension Database {
    fileprivate func delete(
        from table: String, key: String, where condition: String, _ bound: any DatabaseValueConvertible, limit: Int
    ) throws -> Int {
        try run(
            "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?)",
            [bound, limit])
    }
}
