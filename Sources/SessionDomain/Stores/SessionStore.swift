/// Sessions; each writing call is one transaction, described at its intent.
package protocol SessionStore: Sendable {
    func startSession(_ intent: StartSession) async throws -> StartSessionOutcome
    func rotateRefreshToken(_ intent: RotateRefreshToken) async throws -> RotationOutcome
    func session(_ id: String, app: AppID) async throws -> Session?
    /// The session with its user, in one read.
    func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)?
    /// The live sessions of one user, last seen first.
    func sessions(of userID: String, app: AppID, now: Timestamp, limit: Int, offset: Int) async throws
        -> (sessions: [Session], total: Int)
    /// Ends live sessions of one user with their events; the number of sessions ended.
    func revokeSessions(
        of userID: String, app: AppID, _ selection: SessionSelection, reason: RevocationReason, now: Timestamp,
        events: EventFactory
    ) async throws -> Int
    /// Remembers a proof outside a rotation; `false` when it was used before. `now` lets an expired memory be reused.
    func reserveProof(_ proof: ProofUse, app: AppID, now: Timestamp) async throws -> Bool
    /// Remembers that this client was given a nonce.
    func demandNonce(session id: String, app: AppID) async throws
}

package enum SessionSelection: Sendable, Equatable {
    case all
    case one(String)
    case allBut(String)
}

/// The record of what happened.
package protocol EventStore: Sendable {
    /// Newest first.
    func events(app: AppID, limit: Int, offset: Int) async throws -> [Event]
}

/// Deletes what time has made useless: replay memory, verifications, counters, challenges, grants, ended sessions, old
/// events.
package protocol HousekeepingStore: Sendable {
    /// Deletes at most `limit` rows of each kind; how many went. Sessions go 30 days after their end, events with their
    /// deliveries after 30 days, everything else when it has expired.
    func deleteExpired(now: Timestamp, limit: Int) async throws -> Int
}

/// All that one database does for the service.
package typealias ServiceStore = AppStore & EventStore & HousekeepingStore & LoginStore & ManagementKeyStore
    & SessionStore & StepUpStore & UserStore & WebhookStore
