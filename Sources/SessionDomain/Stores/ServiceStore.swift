/// Everything that the service needs of one database.
package typealias ServiceStore = AppStore & EventStore & HousekeepingStore & LoginStore & ManagementKeyStore
    & SessionStore & StepUpStore & UserStore & WebhookStore

/// Reads apps with their settings and keys.
package protocol AppStore: SigningKeyStore {
    /// All apps, oldest first.
    func apps() async throws -> [App]
    func app(_ id: AppID) async throws -> App?
}

/// Reads the keys that sign tokens, hooks and webhooks.
package protocol SigningKeyStore: IntentStore {
    /// All keys of an app, the last to sign first.
    func signingKeys(of id: AppID) async throws -> [StoredSigningKey]
    /// The ids of the master keys under which keys are sealed.
    func sealingKeyIDs() async throws -> Set<String>
}

/// Reads the keys of the management API.
package protocol ManagementKeyStore: IntentStore {
    func managementKey(hash: String) async throws -> ManagementKey?
    /// Oldest first.
    func managementKeys() async throws -> [ManagementKey]
}

/// Reads users with their identifiers.
package protocol UserStore: IntentStore {
    func user(_ id: String, app: AppID) async throws -> User?
    func user(with identifier: CanonicalIdentifier, app: AppID) async throws -> User?
    func user(externalID: String, app: AppID) async throws -> User?
    /// Newest first.
    func users(app: AppID, limit: Int, offset: Int) async throws -> (users: [User], total: Int)
}

/// Reads running logins.
package protocol LoginStore: IntentStore {
    /// The verification behind a token.
    func verification(tokenHash: String, app: AppID) async throws -> Verification?
}

/// Reads sessions.
package protocol SessionStore: IntentStore {
    func session(_ id: String, app: AppID) async throws -> Session?
    /// The session with its user, in one read.
    func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)?
    /// The live sessions of one user, last seen first.
    func sessions(of userID: String, app: AppID, now: Timestamp, limit: Int, offset: Int) async throws
        -> (sessions: [Session], total: Int)
}

/// Reads step-ups.
package protocol StepUpStore: IntentStore {
    /// The grants of a user whose session is live at this time, those of other sessions included.
    func grants(of userID: String, app: AppID, liveAt now: Timestamp) async throws -> [Grant]
}

/// Reads webhooks and their deliveries.
package protocol WebhookStore: IntentStore {
    /// Oldest first.
    func webhooks(app: AppID) async throws -> [Webhook]
    func webhook(_ id: String, app: AppID) async throws -> Webhook?
    /// Newest first.
    func deliveries(of webhookID: String, app: AppID, limit: Int, offset: Int) async throws -> [WebhookDelivery]
    /// The active webhooks of all apps that have a delivery due.
    func dueWebhooks(now: Timestamp) async throws -> [Webhook]
}

/// Reads the events of an app.
package protocol EventStore: IntentStore {
    /// Newest first.
    func events(app: AppID, limit: Int, offset: Int) async throws -> [Event]
}

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
