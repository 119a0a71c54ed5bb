/// The rows that a `FactQuery` asked for, as they are stored. What was not asked for, or does not exist, is `nil` or empty.
package struct Facts: Sendable {
    package var settings: App?
    package var challenge: StepUpChallenge?
    package var session: Session?
    package var verification: Verification?
    package var user: User?
    package var passwordHash: String?
    /// What the device of the budget is at the identifier of the budget.
    package var deviceStanding = KnownDevice.Standing.stranger
    /// Ordered by id.
    package var grants: [Grant] = []
    /// Ordered by id.
    package var liveSessions: [Session] = []
    /// Used last first.
    package var surplusSessions: [Session] = []
    /// Newest first.
    package var unredeemedChallenges: [StepUpChallenge] = []
    /// Each user once.
    package var owners: [User] = []
    /// The last to sign first.
    package var signingKeys: [StoredSigningKey] = []
    /// Oldest first.
    package var managementKeys: [ManagementKey] = []
    package var apps: [App] = []
    package var webhook: Webhook?
    package var webhookCount = 0
    /// Longest due first.
    package var dueDeliveries: [WebhookDelivery] = []
    package var message: QueuedMessage?
    /// The guards that failed in earlier attempts of the same intent.
    package var failures = GuardFailures()

    package init() {}

    package init(_ fill: (inout Facts) throws -> Void) rethrows { try fill(&self) }

    /// Whether an earlier attempt found that another row has this key.
    package func isTaken(_ key: UniqueKey) -> Bool { failures.taken.contains(key) }

    /// The time until which a counter is at its limit, if an earlier attempt found that it is.
    package func limit(of key: CounterKey) -> Timestamp? { failures.exhausted[key] }
}
