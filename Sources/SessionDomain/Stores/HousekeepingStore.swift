/// Deletes rows that have expired: replay memory, verifications, counters, challenges, grants, ended sessions, old events.
package protocol HousekeepingStore: Sendable {
    /// Deletes at most `limit` rows of each kind and returns how many were deleted.
    ///
    /// - Parameters:
    ///   - now: Rows that expired by this time are deleted; sessions whose `Session.keptUntil` has passed, up to an hour
    ///     late.
    ///   - eventsUntil: Events up to this time are deleted, with their deliveries.
    func deleteExpired(now: Timestamp, eventsUntil: Timestamp, limit: Int) async throws -> Int
}
