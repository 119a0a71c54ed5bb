extension Courier where Box == MessageOutbox {
    /// Runs a call that writes a new message, and has the message delivered directly after the commit.
    ///
    /// While the courier has a place for it, the commit of the call is its claim. So no other transaction claims it: two
    /// of six for a login. Without a place, the message is due at once, and the courier claims it when it has one.
    ///
    /// - Parameter write: Writes the message with this lease. `nil`: the message is due at once. If it throws after a commit,
    ///   the message is due at the end of the lease.
    func delivering(
        in lane: MessageLane, at now: Timestamp, _ write: (_ leaseEnd: Timestamp?) async throws -> QueuedMessage
    ) async throws {
        guard takePlace(in: lane) else {
            _ = try await write(nil)
            return wake(for: lane)
        }
        do {
            deliver(try await write(now + MessageOutbox.lease), in: lane)
        } catch {
            returnPlace(in: lane)
            throw error
        }
    }
}
