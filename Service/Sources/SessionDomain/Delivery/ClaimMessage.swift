/// Takes the next due message of a lane.
///
/// It is postponed to `leaseEnd`, so that no other courier takes it, and it is not lost if the process ends.
package struct ClaimMessage: Intent {
    package let lane: MessageLane
    package let now: Timestamp
    package let leaseEnd: Timestamp

    package init(in lane: MessageLane, now: Timestamp, leaseEnd: Timestamp) {
        self.lane = lane
        self.now = now
        self.leaseEnd = leaseEnd
    }

    package var facts: FactQuery { FactQuery(app: lane.appID) { $0.message = .due(in: lane, at: DueTimes(now: now)) } }

    /// - Returns: The message, with its lease.
    package func decide(_ facts: Facts) -> Decision<QueuedMessage?> {
        guard let message = facts.message else { return Decision(nil) }
        var leased = message
        leased.nextAttemptAt = leaseEnd
        return Decision(leased, [.replaceMessage(message, with: leased)])
    }
}
